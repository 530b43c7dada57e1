import type { Verb } from "../verb.ts";

/** Stores a key on this machine, after the service has accepted it. */
export const login: Verb<{ url?: string }> = {
  name: "login",
  group: "Credentials",
  summary: "Store an API key on this machine, from a hidden prompt or from stdin, once the service has accepted it",
  examples: ["stopwatch login", "stopwatch login --profile work --url https://stopwatch.example.com < key.txt"],
  define(command) {
    command.option("--url <address>", "The installation; else STOPWATCH_URL, the profile's, or the one this came from");
  },
  async run(context, options) {
    const { runLogin } = await import("../login/run-login.ts");
    return runLogin(context, options);
  },
};
