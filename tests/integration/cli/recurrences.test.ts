import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { TARGET } from "../api/api.ts";
import { expectRefused } from "./bad-input.ts";
import { type CliService, startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

const RULE = "0 9 * * 1-5";

let service: CliService;
const folder = emptyFolder();
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("cron", () => {
  it("makes a recurrence, and says its key, its rule in words and when it fires next", async () => {
    const { run } = await service.account();
    const { code, stdout, stderr } = await run(["cron", RULE, TARGET, "--tz", "Europe/Berlin", "--payload", "report"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^key +cron-[0-9a-f]{12}\nstatus +active\nrule +0 9 \* \* 1-5 in Europe\/Berlin: every weekday at 09:00\n/,
    );
    expect(stdout).toMatch(
      /\npayload +6 bytes\nnext +\d{4}-\d\d-\d\d 09:00:00 \+0[12]:00\n(?: +\S+ 09:00:00 \S+\n){4}/,
    );
  });

  it("run again makes no second one, and with another rule does; a key of one's own is replaced", async () => {
    const { run } = await service.account();
    const keyed = [...["cron", "@daily", TARGET, "--key-for-once", "mine", "-o", "json"]];
    for (const args of [["cron", RULE, TARGET], ["cron", RULE, TARGET], ["cron", "@daily", TARGET], keyed])
      expect((await run(args)).code).toBe(0);
    const [replaced] = (
      await run([...keyed, "--name", "named", "--overlap", "skip", "--spread", "5m", "--timeout", "5s"])
    ).json();
    expect(replaced).toMatchObject({ key: "mine", name: "named", overlap: "skip", spread_ms: 300_000, taken_back: 1 });
    expect((await run(["recurrences", "list", "--json"])).json()).toHaveLength(3);
  });

  it("stores nothing with --dry-run", async () => {
    const { run } = await service.account();
    expect((await run(["cron", RULE, TARGET, "--dry-run"])).stdout).toContain("every weekday at 09:00");
    expect((await run(["recurrences", "list"])).stderr).toBe("There are none.\n");
  });

  it("names the argument that the service refuses, with the position and what to write, and ends with 2", async () => {
    const { run } = await service.account();
    const { code, stderr } = await run(["cron", "0/5 9 * * *", TARGET]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\n {2}RULE \(cron\): minute: a step stands behind \* or a range.* \(at position 2\)\n/);
  });

  it.each([
    [
      "a crontab line with its command, of which it says what to paste",
      ["0 9 * * 1-5 curl -s https://example.com/a"],
      'Example: stopwatch cron "0 9 * * 1-5" https://example.com/a',
    ],
    ["a named line with its command", ["@daily /usr/bin/job"], 'stopwatch cron "@daily" https://example.com/job'],
    ["a rule without quotes", ["0", "9", "*", "*", "1-5", TARGET], "quote it"],
    ["a rule without a URL", ["@daily"], "URL is missing"],
    ["a spread that is no duration", [RULE, TARGET, "--spread", "soon"], "--spread must be a duration"],
  ])("refuses %s", async (_, args, problem) => {
    await expectRefused(service, ["cron", ...args], problem);
  });
});

describe("recurrences", () => {
  it("are listed, read, paused, resumed and deleted by their keys", async () => {
    const { run } = await service.account();
    for (const key of ["a", "b/é"]) await run(["cron", RULE, TARGET, "--key-for-once", key]);
    const paused = await run(["recurrences", "pause", "b/é", "--note", "holidays", "--until", "2031-01-01T00:00:00Z"]);
    expect(paused.stdout).toMatch(
      /status +paused until 2031-01-01 01:00:00.000 \+01:00 \(Europe\/Berlin\), holidays\n/,
    );
    expect(paused.stdout).toMatch(/\ntaken back +1 /);
    const { stdout } = await run(["recurrences", "list", "--status", "paused"]);
    expect(stdout).toMatch(/^KEY +STATUS +RULE +NEXT +REQUEST\nb\/é +paused +every weekday at 09:00 \(UTC\) +2031-/);
    const [a, b] = (await run(["recurrences", "get", "a", "b/é", "--json"])).json();
    expect([a, b]).toMatchObject([{ status: "active" }, { status: "paused", pause_note: "holidays" }]);
    expect((await run(["recurrences", "resume", "b/é"])).stdout).toMatch(/\nstatus +active\n/);
    expect((await run(["recurrences", "delete", "a"])).code).toBe(2);
    expect((await run(["recurrences", "delete", "a", "--yes", "--json"])).json()).toEqual([
      { key: "a", taken_back: 1, in_flight: 0 },
    ]);
    expect((await run(["recurrences", "get", "a"])).code).toBe(4);
  });

  it.each([
    ["no key", ["pause"], "KEY is missing"],
    ["an option of another action", ["resume", "a", "--note", "why"], "--note goes with pause"],
    ["an action that does not exist", ["stop", "a"], "'stop' is invalid"],
    ["an instant without an offset", ["pause", "a", "--until", "tomorrow"], "--until"],
    ["no file", ["apply"], "FILE is missing"],
    ["a file that is not there", ["apply", join(folder, "none.json")], "cannot be read (ENOENT)"],
  ])("refuses %s", async (_, args, problem) => {
    await expectRefused(service, ["recurrences", ...args], problem);
  });
});

describe("recurrences apply", () => {
  const daily = { key: "daily", cron: "@daily", targetUrl: TARGET, payload: "report" };
  const hourly = { key: "hourly", cron: "@hourly", targetUrl: TARGET, json: { sync: true } };

  it("says what is new and what changes, field by field, before it stores; the same again changes nothing", async () => {
    const { run } = await service.account();
    const first = await run(["recurrences", "apply", file("a.json", [daily, hourly]), "--yes", "--json"]);
    expect(first.stderr).toBe('+ "daily"\n+ "hourly"\n');
    expect(first.json()).toMatchObject([{ key: "daily" }, { key: "hourly", payload_size_bytes: 13 }]);
    const again = await run(["recurrences", "apply", file("a.json", [daily, hourly])]);
    expect([again.code, again.stderr]).toEqual([0, "0 new, 0 changed, 2 as they are.\n"]);
    const changed = [
      { ...daily, cron: "0 8 * * *", name: "Report" },
      { ...hourly, json: { sync: "all!" } },
    ];
    const other = file("b.json", [changed[0], { ...hourly, json: { sync: null } }, { ...daily, key: "third" }]);
    const dry = await run(["recurrences", "apply", other, "--dry-run"]);
    expect([dry.code, dry.stdout]).toEqual([0, ""]);
    expect(dry.stderr).toBe(
      '~ "daily"\n    name: null -> "Report"\n    cron: "@daily" -> "0 8 * * *"\n~ "hourly"\n    payload or headers\n+ "third"\n' +
        "1 new, 2 changed, 0 as they are: nothing was stored.\n",
    );
    expect((await run(["recurrences", "apply", other])).code).toBe(2);
    expect((await run(["recurrences", "list", "--json"])).json()).toHaveLength(2);
    const applied = await run(["recurrences", "apply", "-", "--yes"], { stdin: JSON.stringify(changed) });
    expect(applied.code).toBe(0);
    expect((await run(["recurrences", "get", "daily", "--json"])).json()).toMatchObject([{ name: "Report" }]);
  });

  it("stores nothing when the service refuses one, and names each", async () => {
    const { run } = await service.account();
    const wrong = [
      daily,
      { ...daily, key: "x", cron: "0 0 31 2 *" },
      { ...daily, key: "y", targetUrl: "https://10.0.0.1/" },
    ];
    const { code, stderr } = await run(["recurrences", "apply", file("c.json", wrong), "--yes"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /stopwatch: "x": .*never fires[\s\S]*stopwatch: "y": .*\+ "daily"\nNothing was stored\.\n$/s,
    );
    expect((await run(["recurrences", "list", "--json"])).json()).toEqual([]);
  });

  it.each([
    ["no JSON", "[\n{,}]", "is not JSON"],
    ["no list", { daily }, "must be a list of recurrences"],
    ["an entry without a key", [{ cron: "@daily" }], "has no key in its entry 1"],
    ["a key twice", [daily, daily], 'has the key "daily" twice'],
  ])("refuses a file with %s", async (name, content, problem) => {
    await expectRefused(service, ["recurrences", "apply", file(`${name}.json`, content), "--yes"], problem);
  });
});
