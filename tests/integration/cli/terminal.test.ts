import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { startOnTerminal } from "#tests/helpers/terminal.ts";
import { type CliService, startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
  await service.dispatcher();
});
afterAll(() => service?.stop());

/** Starts the command line on a terminal. */
function start(args: string[], env: Record<string, string>, columns?: number) {
  const home = emptyFolder();
  const command = [process.execPath, resolve("cli/dist/stopwatch.js"), ...args];
  return { home, ...startOnTerminal(command, { env: { HOME: home, TZ: "Europe/Berlin", ...env }, columns }) };
}

it("login asks for the key, and does not show it", async () => {
  const { caller } = await service.account();
  const { home, answer, ended } = start(["login", "--url", service.origin], {});
  await answer(`API key for ${service.origin} (not shown): `.replaceAll(/[()]/g, "."), `${caller.test}\r`);
  const { code, shown } = await ended;
  expect(code).toBe(0);
  expect(shown).toContain("stored        the profile");
  expect(shown).not.toContain(caller.test.slice(8, 20));
  expect(readFileSync(join(home, ".config/stopwatch/profiles.json"), "utf8")).toContain(caller.test);
});

it("a question names the live key and the count; yes does it, anything else does nothing", async () => {
  const { settings, create, get } = await service.account("live");
  const id = await create();
  const question = `This is a live key (STOPWATCH_API_KEY, ${service.origin}). Cancel 1 schedule (scheduled)? [y/N]`;
  const ask = async (typed: string) => {
    const { answer, ended } = start(["cancel", "--status", "scheduled"], settings);
    await answer(/Cancel 1 schedule .*\[y\/N\]/, typed);
    const { code, shown } = await ended;
    expect(shown).toContain(question);
    return { code, status: (await get(id)).status };
  };
  expect(await ask("\r")).toEqual({ code: 1, status: "scheduled" });
  expect(await ask("\u0003")).toEqual({ code: 130, status: "scheduled" });
  expect(await ask("y\r")).toEqual({ code: 0, status: "cancelled" });
});

it("a table is as wide as the terminal, with colours unless NO_COLOR is set", async () => {
  const { settings, create } = await service.account();
  const id = await create({ targetUrl: `https://example.com/${"long/".repeat(40)}` });
  await service.attempt(id, { attemptedAt: new Date(), offsetMs: 1, statusCode: 500, status: "dead" });
  const coloured = await start(["list"], settings, 110).ended;
  const rows = coloured.shown.trimEnd().split("\n");
  expect(rows.map((row) => row.length).filter((width) => width > 110)).toEqual([]);
  expect(rows[1]).toMatch(/POST https:\/\/example\.com\/[^ ]*…$/);
  expect(coloured.raw).toContain("\u001b[31mdead");
  const plain = await start(["list"], { ...settings, NO_COLOR: "1" }, 110).ended;
  expect(plain.raw).not.toContain("\u001b[");
  expect(plain.shown).toBe(coloured.shown);
});
