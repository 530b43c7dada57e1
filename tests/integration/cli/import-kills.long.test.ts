// Guards: cli/src/import/**, cli/src/verbs/import.ts, sdk/src/client/create-many.ts, sdk/src/client/bulk-entries.ts, server/schedules/bulk*.ts, db/queries/schedules/create-bulk.ts, db/functions/create_schedules.sql
// Final: its verdict is about what was created, and how often.
import { randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCli } from "#tests/helpers/cli-process.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { FUTURE, TARGET } from "../api/api.ts";
import { startFront } from "./front.ts";
import { startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

const ROWS = 10_000;
const KILLS = 20;
const BATCH = 50;

let service: Awaited<ReturnType<typeof startCliService>>;
let front: Awaited<ReturnType<typeof startFront>>;
beforeAll(async () => {
  service = await startCliService({
    PLANS: JSON.stringify({ free: { requestsPerMinute: 1_000_000, testMonthlyQuota: 2 * ROWS, bulkItemsMax: BATCH } }),
  });
  front = await startFront(service.origin);
});
afterAll(async () => {
  await front?.stop();
  await service?.stop();
});

it("an import that is killed at 20 random moments creates each of its 10,000 rows exactly once", async () => {
  const { settings, run, caller } = await service.account();
  const env = { ...settings, STOPWATCH_URL: front.origin };
  const cwd = emptyFolder();
  const rows = Array.from({ length: ROWS }, (_, at) =>
    JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE, payload: `${at}` }),
  );
  writeFileSync(join(cwd, "rows.jsonl"), rows.join("\n"));
  const count = async () => {
    const [row] = await service.api.sql`SELECT count(*)::int FROM schedules WHERE account_id = ${caller.accountId}`;
    return Number(row?.count);
  };

  const counts: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    const wanted = (counts.at(-1) ?? 0) + BATCH * randomInt(0, 6);
    const killed = Promise.withResolvers<void>();
    // It sends two batches at once: each kill adds at most 5 wanted ones, one sent beside them, and two that wait here. So 20 add
    // at most 8,000 rows, however late they come.
    front.passOnAfter(async ({ url = "" }) => {
      if (url.endsWith("/bulk") && (await count()) >= wanted) await killed.promise;
    });
    const child = startCli(["import", "rows.jsonl"], { env, cwd });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (_, signal) => resolve(signal)));
    // Whatever it is doing then: starting, reading, sending, or writing a result.
    await waitFor("rows are created", async () => (await count()) >= wanted);
    await new Promise((resolve) => setTimeout(resolve, randomInt(0, 150)));
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    killed.resolve();
    counts.push(await count());
  }
  expect(new Set(counts).size).toBeGreaterThan(5);
  expect(counts.at(-1)).toBeLessThan(ROWS);

  front.passOnAfter(() => {});
  const { code, json, stderr } = await run(["import", "rows.jsonl", "--json"], { cwd, env });
  expect(stderr).toMatch(/of 10000 rows are done: sending the rest/);
  expect({ code, ...json()[0] }).toMatchObject({ code: 0, rows: ROWS, accepted: ROWS, rejected: 0, left: 0 });
  expect(await count()).toBe(ROWS);
  const [, ...results] = readFileSync(join(cwd, "rows.jsonl.result.jsonl"), "utf8").trimEnd().split("\n");
  const parsed = results.map((line) => JSON.parse(line));
  expect(new Set(parsed.map(({ row }) => row)).size).toBe(ROWS);
  expect(new Set(parsed.map(({ id }) => id)).size).toBe(ROWS);
});
