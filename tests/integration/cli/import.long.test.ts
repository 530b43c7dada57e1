// Guards: cli/src/import/**, cli/src/verbs/import.ts, sdk/src/client/create-many.ts, sdk/src/client/bulk-entries.ts, server/schedules/bulk*.ts
// Final: its verdict is about what was created, and how often.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCli } from "#tests/helpers/cli-process.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { FUTURE, TARGET } from "../api/api.ts";
import { startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

let service: Awaited<ReturnType<typeof startCliService>>;
beforeAll(async () => {
  service = await startCliService({
    PLANS: JSON.stringify({ free: { requestsPerMinute: 1_000_000, testMonthlyQuota: 250, bulkItemsMax: 20 } }),
  });
});
afterAll(() => service?.stop());

async function folder(env: "live" | "test" = "test") {
  const account = await service.account(env);
  const cwd = emptyFolder();
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(cwd, name), content);
  const results = (name: string): Record<string, unknown>[] =>
    readFileSync(join(cwd, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const count = async () => {
    const [row] = await service.api
      .sql`SELECT count(*)::int FROM schedules WHERE account_id = ${account.caller.accountId}`;
    return row?.count;
  };
  return {
    ...account,
    cwd,
    write,
    results,
    count,
    run: (args: string[], stdin = "") => account.run(args, { cwd, stdin }),
  };
}

const csvOf = (count: number) =>
  `targetUrl,fireAt,payload\n${Array.from({ length: count }, (_, at) => `${TARGET},${FUTURE},row ${at + 1}`).join("\n")}\n`;

it("creates the rows of a CSV file once, however often it is run, and writes what became of each", async () => {
  const { run, write, results, count } = await folder();
  write("rows.csv", csvOf(45));
  const first = await run(["import", "rows.csv", "--json"]);
  expect(first.json()).toEqual([
    { rows: 45, accepted: 45, replayed: 0, rejected: 0, left: 0, result: "rows.csv.result.jsonl" },
  ]);
  expect(first.stderr).toMatch(/^Sending 45 rows to http:\/\/127\.0\.0\.1:\d+ \(test\)\.\n$/);
  expect(first.code).toBe(0);
  const [head, ...rows] = results("rows.csv.result.jsonl");
  expect(head).toMatchObject({ rows: 45, env: "test" });
  expect(rows.map(({ row }) => row).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 45 }, (_, at) => at + 1),
  );
  expect(rows[0]).toMatchObject({ outcome: "accepted", id: expect.stringMatching(/^sch_/), fire_at: FUTURE });
  const again = await run(["import", "rows.csv"]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("accepted  45") });
  // Another result file, and so no memory of the first run: the keys alone keep it from creating twice.
  const elsewhere = await run(["import", "rows.csv", "--result", "second.jsonl", "--json"]);
  expect(elsewhere.json()[0]).toMatchObject({ accepted: 45, replayed: 45 });
  expect(await count()).toBe(45);
});

it("reads stdin, and takes the columns that --map names", async () => {
  const { run, count, caller } = await folder();
  const csv = `url,when,zone,note\n${TARGET},2031-03-30T09:00,Europe/Berlin,mine\n`;
  const maps = ["url=targetUrl", "when=fireAtLocal", "zone=timezone", "note="].flatMap((map) => ["--map", map]);
  const { code, json } = await run(["import", "-", "--json", ...maps], csv);
  expect({ code, result: json()[0]?.result }).toEqual({
    code: 0,
    result: expect.stringMatching(/^import-[0-9a-f]{12}\.result\.jsonl$/),
  });
  expect(await count()).toBe(1);
  const { body } = await service.api.call("GET", "/v1/schedules", caller.test);
  expect(body.items[0].fire_at).toBe("2031-03-30T07:00:00.000Z");
});

it("names each row that was rejected, by its line, creates the others, and ends with 1", async () => {
  const { run, write, results, count } = await folder();
  const row = (fields: object) => JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE, ...fields });
  write(
    "rows.jsonl",
    [row({}), "", row({ fireAt: "2001-01-01T00:00:00Z" }), row({ targetUrl: "https://10.0.0.1/" })].join("\n"),
  );
  const { code, stderr, stdout } = await run(["import", "rows.jsonl"]);
  expect(code).toBe(1);
  expect(stderr).toContain("Line 3: fireAt must be in the future (VALIDATION)\nLine 4: targetUrl ");
  expect(stdout).toMatch(/^rows {6}3\naccepted {2}1\nrejected {2}2\nresults {3}rows\.jsonl\.result\.jsonl\n$/);
  expect(results("rows.jsonl.result.jsonl").filter(({ outcome }) => outcome === "rejected")).toEqual([
    { row: 2, line: 3, outcome: "rejected", code: "VALIDATION", message: "fireAt must be in the future" },
    { row: 3, line: 4, outcome: "rejected", code: "VALIDATION", message: expect.stringContaining("targetUrl") },
  ]);
  expect(await count()).toBe(1);
  expect((await run(["import", "rows.jsonl"])).code).toBe(1);
});

it("says that a given key stands for another request, and that nothing was created", async () => {
  const { run, caller, count } = await folder();
  const id = await service.api.create(caller.test, { idempotencyKey: "order-1" });
  const line = { targetUrl: TARGET, fireAt: FUTURE, payload: "other", idempotencyKey: "order-1" };
  const { code, stderr } = await run(["import", "-"], JSON.stringify(line));
  expect(code).toBe(1);
  expect(stderr).toContain(`Line 1: its idempotencyKey stands for another request, ${id}, and nothing was created`);
  expect(await count()).toBe(1);
});

describe("ends with 2, says where, and sends nothing", () => {
  it.each([
    [
      "an unknown column",
      "targetUrl,paylod\n",
      [],
      'line 1, column 11: the column "paylod" is unknown: did you mean payload?',
    ],
    ["an open quote", `targetUrl,fireIn\n${TARGET},"1h\n`, [], "line 2, column 26: this quote is never closed"],
    ["several problems", `{"fireIn":"5x"}\n{"targetUrl":1}\n`, [], "FILE has 4 problems, and nothing was sent:\n"],
    ["a key that comes twice", dup("a") + dup("a"), [], "line 2: idempotencyKey is that of line 1"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff), [], "line 1, column 2: these bytes are not UTF-8"],
    ["no rows", "targetUrl\n", [], "FILE has no rows"],
    ["a map to no field", "{}", ["--map", "a=b"], "--map names no field"],
    ["a malformed map", "{}", ["--map", "a"], "--map must be the name of a column, =, and a field"],
    ["an escape that a terminal would obey", "\u001b[31m\n", [], 'the column "\uFFFD[31m" is unknown'],
  ])("%s", async (_, stdin, options, problem) => {
    const { run } = await service.account();
    const before = service.requests.length;
    const { code, stdout, stderr } = await run(["import", "-", ...options], { stdin });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(service.requests.length).toBe(before);
  });

  it("a file that cannot be read", async () => {
    const { run } = await service.account();
    const { code, stderr } = await run(["import", "nothing.csv"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("FILE is nothing.csv, which cannot be read (ENOENT)"),
    });
  });
});

it("refuses a result file of other bytes, of other options, or of something else", async () => {
  const { run, write, cwd, count } = await folder();
  write("rows.csv", csvOf(1));
  await run(["import", "rows.csv"]);
  const mapped = await run(["import", "rows.csv", "--map", "payload="]);
  expect(mapped).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("an import with other settings (options: "),
  });
  write("rows.csv", csvOf(2));
  const changed = await run(["import", "rows.csv"]);
  expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining("would be created twice") });
  write("notes.txt", "do not lose this");
  const other = await run(["import", "rows.csv", "--result", "notes.txt"]);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("is not the result file of an import") });
  expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("do not lose this");
  expect(await count()).toBe(1);
});

it("goes on after a line that a kill cut off", async () => {
  const { run, write, cwd, count } = await folder();
  write("rows.csv", csvOf(30));
  await run(["import", "rows.csv"]);
  const path = join(cwd, "rows.csv.result.jsonl");
  const whole = readFileSync(path, "utf8");
  for (const length of [whole.length - 10, whole.indexOf("\n") - 5, 0]) {
    writeFileSync(path, whole.slice(0, length));
    const { code, json } = await run(["import", "rows.csv", "--json"]);
    expect({ code, ...json()[0] }).toMatchObject({ code: 0, accepted: 30, left: 0 });
    for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) JSON.parse(line);
  }
  expect(await count()).toBe(30);
});

it("stops at the quota with 5, and goes on when there is more", async () => {
  const { run, write, caller, count } = await folder();
  const { sql } = service.api;
  write("rows.csv", csvOf(300));
  const stopped = await run(["import", "rows.csv"]);
  expect(stopped.code).toBe(5);
  expect(stopped.stderr).toMatch(
    /\(QUOTA_EXCEEDED\): 50 rows were not sent\.\n {2}Fix: `stopwatch usage` shows the quota\. Run/,
  );
  expect(stopped.stdout).toContain("accepted  250\n");
  expect(await count()).toBe(250);
  await sql`UPDATE usage SET scheduled = 0 WHERE account_id = ${caller.accountId}`;
  const more = await run(["import", "rows.csv", "--json"]);
  expect(more.stderr).toMatch(/^250 of 300 rows are done: sending the rest/);
  expect({ code: more.code, ...more.json()[0] }).toMatchObject({ code: 0, accepted: 300, left: 0 });
  expect(await count()).toBe(300);
});

it("ends with 130 at Ctrl-C, says how far it is, and goes on when it is run again", async () => {
  const { run, write, count, cwd, settings } = await folder("live");
  write("rows.csv", csvOf(1_000));
  const child = startCli(["import", "rows.csv"], { env: settings, cwd });
  const before = service.requests.length;
  const said = text(child.stderr);
  const ended = new Promise<number | null>((done) => child.once("close", done));
  await waitFor("some rows are sent", () => service.requests.length > before + 5);
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(await said).toMatch(/\n\d+ of 1000 rows are done\. Run the same command with the same file again: it goes on/);
  expect(await count()).toBeLessThan(1_000);
  expect(await run(["import", "rows.csv"])).toMatchObject({ code: 0 });
  expect(await count()).toBe(1_000);
});

it("asks again after an answer that was lost, and creates nothing twice", async () => {
  const { run, write, count } = await folder();
  write("rows.csv", csvOf(60));
  service.loseNext(/bulk/);
  const { code, json } = await run(["import", "rows.csv", "--json"]);
  expect({ code, ...json()[0] }).toMatchObject({ code: 0, accepted: 60 });
  expect(await count()).toBe(60);
});

function dup(key: string): string {
  return `${JSON.stringify({ targetUrl: TARGET, fireIn: "1h", idempotencyKey: key })}\n`;
}
