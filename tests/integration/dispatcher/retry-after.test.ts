import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const BACKOFF_MS = 60_000;
const WAIT_MAX_MS = BACKOFF_MS * 1.25;
const TWO_HOURS_MS = 7_200_000;
const YEAR_MS = 365 * 86_400_000;
const httpDate = (inMs: number) => new Date(Date.now() + inMs).toUTCString();
const ownWait = [BACKOFF_MS, WAIT_MAX_MS] as const;
const capped = [BACKOFF_MS + TWO_HOURS_MS, WAIT_MAX_MS + TWO_HOURS_MS] as const;

let harness: DispatchHarness;
let target: RawServer;

beforeAll(async () => {
  target = await startRawServer({
    onRequest: (socket) => {
      const [, code, query = ""] = /^POST \/(\d+)\?(\S*)/.exec(target.requests.at(-1)?.head ?? "") ?? [];
      const values = new URLSearchParams(query).getAll("after");
      const lines = values.map((value) => `Retry-After: ${value}\r\n`).join("");
      socket.write(`HTTP/1.1 ${code} X\r\n${lines}Content-Length: 0\r\n\r\n`);
    },
  });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: `http://127.0.0.1:${target.port}` });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await target.close();
});

/**
 * Makes one attempt that is answered with `code` and these `Retry-After` lines. Returns the row and the wait before the
 * next attempt, ms.
 */
async function answeredWith(code: number, ...after: string[]) {
  const account = await harness.account({ settings: { retry_backoff_ms: BACKOFF_MS, retry_attempts: 1 } });
  const query = new URLSearchParams(after.map((value) => ["after", value]));
  const url = `http://127.0.0.1:${target.port}/${code}?${query}`;
  const id = await harness.schedule(account, url, new Date(Date.now() + 200));
  const row = await waitFor("it is recorded", async () => {
    const read = await harness.read(id);
    return ["failed", "dead"].includes(read.status) && read;
  });
  const [attempt] = (await harness.attempts(id)) as unknown as [{ attempted_at: Date; latency_ms: number }];
  const endedAtMs = attempt.attempted_at.getTime() + attempt.latency_ms;
  return { row, waitMs: ((row.next_attempt_at as Date | null)?.getTime() ?? Number.NaN) - endedAtMs };
}

describe("the wait before a retry", () => {
  it.each([
    ["is the account's own without Retry-After", 503, [], ownWait],
    ["is what a 503 asks in seconds", 503, ["3600"], [3_600_000, 3_600_000]],
    ["is what a 429 asks in seconds", 429, ["900"], [900_000, 900_000]],
    ["is until the date that a 429 names", 429, [httpDate(3_600_000)], [3_590_000, 3_600_000]],
    ["is the account's own when less is asked", 503, ["5"], ownWait],
    ["is the account's own when the date is past", 429, [httpDate(-3_600_000)], ownWait],
    ["is two hours beyond the account's own at most, of ten years in seconds", 503, ["315360000"], capped],
    ["is two hours beyond the account's own at most, of a date in ten years", 429, [httpDate(10 * YEAR_MS)], capped],
    ["is two hours beyond the account's own at most, of a thousand digits", 503, ["9".repeat(1_000)], capped],
    ["is the account's own of garbage", 503, ["soon"], ownWait],
    ["is the account's own of a negative number", 503, ["-3600"], ownWait],
    ["is the account's own of a fraction", 503, ["3600.5"], ownWait],
    ["is the account's own of nothing", 429, [""], ownWait],
    ["is the account's own of a date that does not exist", 429, ["Fri, 31 Feb 2090 00:00:00 GMT"], ownWait],
    ["is the account's own of a status that may not ask", 500, ["3600"], ownWait],
    ["is the account's own of a redirect", 302, ["3600"], ownWait],
  ] as const)("%s", async (_title, code, after, [leastMs, mostMs]) => {
    const { row, waitMs } = await answeredWith(code, ...after);
    expect(row).toMatchObject({ status: "failed", attempts: 1 });
    expect(waitMs).toBeGreaterThanOrEqual(leastMs - 50);
    expect(waitMs).toBeLessThanOrEqual(mostMs + 50);
  });

  it("does not exist after 410 with any Retry-After: the schedule is dead at once", async () => {
    expect(await answeredWith(410, "3600")).toMatchObject({
      row: { status: "dead", attempts: 1, next_attempt_at: null },
    });
  });
});
