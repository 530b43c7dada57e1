import { existsSync } from "node:fs";

/** What an installation without npm can run, with what it does: the parts, and those commands that this version has. */
export const PROGRAMS = new Map(
  Object.entries({
    web: "serves the API and the pages on PORT, until SIGTERM",
    dispatcher: "sends what is due, until SIGTERM; its health and metrics are on DISPATCHER_PORT",
    migrate: "brings the database to this version's schema; run it before the parts of a new version",
    account: "creates an account, or manages one",
    doctor: "checks the settings, the database and what is around them",
    reconcile: "decides after a restore what is sent",
    "keys-rotate": "encrypts everything with the first of ENCRYPTION_KEYS",
    health: "exits with 0 if the web part or the dispatcher of this container answers",
  }).filter(([name]) => isPart(name) || existsSync(commandUrl(name))),
);

/** Whether it runs until it is told to stop. */
export function isPart(name: string): boolean {
  return name === "web" || name === "dispatcher";
}

/** Where the command is. */
export function commandUrl(name: string): URL {
  return new URL(`../commands/${name}.ts`, import.meta.url);
}
