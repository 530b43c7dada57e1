import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FetchLike, Stopwatch, StopwatchError, type StopwatchOptions } from "../../../sdk/src/index.ts";
import { KEY, SCHEDULE_ID } from "./fake-service.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2031, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

type Outcome = { value?: unknown; error?: StopwatchError; afterMs: number };

/** Reads a schedule on a fake clock. Returns the result or error, and after how many ms the call ended. */
async function get(options: StopwatchOptions, signal?: AbortSignal): Promise<Outcome> {
  const startMs = performance.now();
  const client = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", ...options });
  let outcome: Outcome | undefined;
  const end = (ended: object) => {
    outcome = { ...ended, afterMs: performance.now() - startMs };
  };
  client.schedules.get(SCHEDULE_ID, { signal }).then(
    (value) => end({ value }),
    (error) => end({ error }),
  );
  for (let n = 0; n < 100_000 && outcome === undefined; n++) await vi.advanceTimersByTimeAsync(10);
  if (outcome === undefined) throw new Error("the call has not ended");
  return outcome;
}

const refusal = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: { code: "ANY", message: "no" } }, { status, headers });

/** A fetch that ignores its signal and never settles. */
const deaf = () => new Promise<never>(() => {});

describe("timeoutMs", () => {
  test("bounds the whole call, also with a fetch that ignores its signal and never settles", async () => {
    const { error, afterMs } = await get({ fetch: deaf });
    expect(error).toMatchObject({ code: "TIMEOUT" });
    expect(afterMs).toBeGreaterThan(20_000);
    expect(afterMs).toBeLessThanOrEqual(30_010);
    expect(await get({ fetch: deaf, timeoutMs: 4_000 })).toMatchObject({
      error: { code: "TIMEOUT", attempts: 1 },
      afterMs: 4_000,
    });
  });

  test("bounds a body that never ends", async () => {
    const fetch = async () => ({ status: 200, headers: new Headers(), text: deaf });
    expect(await get({ fetch, timeoutMs: 4_000 })).toMatchObject({ error: { code: "TIMEOUT" }, afterMs: 4_000 });
  });

  test("is never exceeded by a Retry-After: the call fails at once instead, and its error has the wait", async () => {
    const fetch = async () => refusal(429, { "Retry-After": "60" });
    const { error, afterMs } = await get({ fetch });
    expect(error).toMatchObject({ code: "ANY", status: 429, retryAfterMs: 60_000, attempts: 1 });
    expect(afterMs).toBeLessThan(100);
  });

  test("takes any length, infinite ones too", async () => {
    const fetch = async () => Response.json({ id: SCHEDULE_ID });
    for (const timeoutMs of [2 ** 31, Infinity]) {
      expect(await get({ fetch, timeoutMs, attemptTimeoutMs: timeoutMs })).toMatchObject({
        value: { id: SCHEDULE_ID },
      });
    }
  });
});

describe("Retry-After", () => {
  const afterRefusal = async (headers: Record<string, string>) => {
    const answers = [refusal(503, headers), Response.json({})];
    const waits: number[] = [];
    await get({ fetch: async () => answers.shift() as Response, onRetry: ({ waitMs }) => waits.push(waitMs) });
    return waits[0];
  };

  test("counts in seconds, or as a date by the clock of the answer", async () => {
    expect(await afterRefusal({ "Retry-After": "7" })).toBe(7_000);
    const [date, later] = ["Tue, 01 Jan 2030 00:00:00 GMT", "Tue, 01 Jan 2030 00:00:09 GMT"];
    expect(await afterRefusal({ "Retry-After": later, Date: date })).toBe(9_000);
    vi.setSystemTime(Date.parse(date));
    expect(await afterRefusal({ "Retry-After": later })).toBe(9_000);
  });

  test.each(["0", "-5", "soon", "1.5e99", "Tue, 01 Jan 2030 00:00:00 GMT", ""])(
    "that is %j leaves the backoff as it is",
    async (text) => {
      const waitMs = (await afterRefusal({ "Retry-After": text })) ?? 0;
      expect(waitMs).toBeGreaterThanOrEqual(250);
      expect(waitMs).toBeLessThanOrEqual(500);
    },
  );
});

test("waits double, with jitter, up to eight seconds", async () => {
  const waits: number[] = [];
  const fetch = async () => refusal(503);
  await get({ fetch, maxRetries: 7, timeoutMs: 600_000, onRetry: ({ waitMs }) => waits.push(waitMs) });
  expect(waits).toHaveLength(7);
  for (const [n, waitMs] of waits.entries()) {
    const most = Math.min(8_000, 500 * 2 ** n);
    expect(waitMs).toBeGreaterThanOrEqual(most / 2);
    expect(waitMs).toBeLessThanOrEqual(most);
  }
});

describe("an abort rejects with the signal's own reason", () => {
  const reason = { mine: true };
  const abortAfter = (ms: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), ms);
    return controller.signal;
  };

  test("before the call, which is then not sent", async () => {
    const fetch = vi.fn<FetchLike>(deaf);
    expect(await get({ fetch }, AbortSignal.abort(reason))).toMatchObject({ error: reason });
    expect(fetch).not.toHaveBeenCalled();
  });

  test("while a try is under way, whose own signal is aborted too", async () => {
    let inner: AbortSignal | undefined;
    const fetch: FetchLike = (_url, { signal }) => {
      inner = signal;
      return deaf();
    };
    const { error, afterMs } = await get({ fetch }, abortAfter(1_000));
    expect(error).toBe(reason);
    expect(afterMs).toBe(1_000);
    expect(inner?.reason).toBe(reason);
  });

  test("while it waits for the next try", async () => {
    const fetch = async () => refusal(503, { "Retry-After": "20" });
    const { error, afterMs } = await get({ fetch }, abortAfter(3_000));
    expect(error).toBe(reason);
    expect(afterMs).toBe(3_000);
  });

  test("which is the platform's AbortError when the caller gives none, and may be an error of this package", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    expect((await get({ fetch: deaf }, controller.signal)).error).toMatchObject({ name: "AbortError" });
    const own = new StopwatchError("TIMEOUT", "mine", { status: 503 });
    expect((await get({ fetch: deaf }, AbortSignal.abort(own))).error).toBe(own);
  });
});

test("nothing is left behind: no timer, and no listener on the caller's signal", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  const answers = [refusal(503), Response.json({})];
  await get({ fetch: async () => answers.shift() as Response }, signal);
  expect(vi.getTimerCount()).toBe(0);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  await get({ fetch: deaf, timeoutMs: 100 }, signal);
  expect(vi.getTimerCount()).toBe(0);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
});
