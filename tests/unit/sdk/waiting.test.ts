import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CallOptions, type FetchLike, Stopwatch } from "../../../sdk/src/index.ts";
import { KEY, OPERATION_ID, SCHEDULE_ID } from "./fake-service.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2031, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

type Step = () => object | Response;

/** Waits for a schedule or an operation, and answers each look by the next step, the last one from then on. */
async function wait(id: string, steps: Step[], options?: CallOptions) {
  const looks: number[] = [];
  const startMs = performance.now();
  const fetch: FetchLike = async () => {
    looks.push(Math.round(performance.now() - startMs));
    const step = (steps.length > 1 ? steps.shift() : steps[0]) as Step;
    const answer = step();
    return answer instanceof Response ? answer : Response.json({ id, ...answer });
  };
  const { schedules, operations } = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", fetch });
  let ended: { value?: unknown; error?: unknown } | undefined;
  const part: { wait(id: string, options?: CallOptions): Promise<unknown> } =
    id === OPERATION_ID ? operations : schedules;
  part.wait(id, options).then(
    (value) => {
      ended = { value };
    },
    (error) => {
      ended = { error };
    },
  );
  for (let n = 0; n < 100_000 && ended === undefined; n++) await vi.advanceTimersByTimeAsync(50);
  return { ...ended, looks, afterMs: Math.round(performance.now() - startMs) };
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const unavailable = () => Response.json({ error: { code: "UNAVAILABLE", message: "no" } }, { status: 503 });

describe("wait", () => {
  test.each(["succeeded", "dead", "cancelled"])("returns a schedule that is %s", async (status) => {
    expect(await wait(SCHEDULE_ID, [() => ({ status })])).toMatchObject({ value: { status }, looks: [0] });
  });

  test("polls when the next attempt is due, at least every 15 s, and every second while one is in flight", async () => {
    const scheduled = { status: "scheduled", next_attempt_at: inMs(20_000) };
    const { value, looks } = await wait(
      SCHEDULE_ID,
      [
        () => scheduled,
        () => scheduled,
        () => ({ status: "firing", next_attempt_at: null }),
        () => ({ status: "failed", next_attempt_at: inMs(3_000) }),
        () => ({ status: "succeeded", next_attempt_at: null }),
      ],
      { timeoutMs: 60_000 },
    );
    expect(value).toMatchObject({ status: "succeeded" });
    expect(looks).toEqual([0, 15_000, 20_000, 21_000, 24_000]);
  });

  test("takes the time from the service's clock", async () => {
    const headers = { Date: "Tue, 01 Jan 2030 00:00:00 GMT" };
    const body = { status: "scheduled", next_attempt_at: "2030-01-01T00:00:04.000Z" };
    const { looks } = await wait(SCHEDULE_ID, [() => Response.json(body, { headers }), () => ({ status: "dead" })]);
    expect(looks).toEqual([0, 4_000]);
  });

  test("fails with TIMEOUT as soon as no further poll fits into timeoutMs", async () => {
    const steps = [() => ({ status: "scheduled", next_attempt_at: inMs(3_600_000) })];
    const { error, looks, afterMs } = await wait(SCHEDULE_ID, steps, { timeoutMs: 20_000 });
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining(SCHEDULE_ID) });
    expect(looks).toEqual([0, 15_000]);
    expect(afterMs).toBeLessThan(15_100);
    const soon = await wait(SCHEDULE_ID, [() => ({ status: "scheduled", next_attempt_at: inMs(6_000) })], {
      timeoutMs: 5_000,
    });
    expect(soon).toMatchObject({ error: { code: "TIMEOUT" }, looks: [0] });
  });

  test("waits out an outage that one call would not survive, unless maxRetries is given", async () => {
    const outage = (seconds: number): Step[] => {
      const endMs = Date.now() + seconds * 1_000;
      return [() => (Date.now() < endMs ? unavailable() : { status: "succeeded" })];
    };
    const { value, afterMs } = await wait(SCHEDULE_ID, outage(60), { timeoutMs: 120_000 });
    expect(value).toMatchObject({ status: "succeeded" });
    expect(afterMs).toBeLessThan(70_000);
    expect(await wait(SCHEDULE_ID, outage(60), { timeoutMs: 120_000, maxRetries: 0 })).toMatchObject({
      error: { code: "UNAVAILABLE" },
      looks: [0],
    });
  });

  test("ends with an error that another poll would not change", async () => {
    const gone = () => Response.json({ error: { code: "NOT_FOUND", message: "no" } }, { status: 404 });
    expect(await wait(SCHEDULE_ID, [gone])).toMatchObject({ error: { code: "NOT_FOUND" }, looks: [0] });
  });

  test("rejects with the signal's reason while it waits for the next poll", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("stop"), 2_500);
    const steps = [() => ({ status: "scheduled", next_attempt_at: inMs(9_000) })];
    const { error, afterMs } = await wait(SCHEDULE_ID, steps, { signal: controller.signal });
    expect([error, afterMs]).toEqual(["stop", 2_500]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(["done", "stopped", "failed"])("returns an operation that is %s", async (status) => {
    const { value, looks } = await wait(OPERATION_ID, [() => ({ status: "running" }), () => ({ status })]);
    expect(value).toMatchObject({ status });
    expect(looks).toEqual([0, 1_000]);
  });
});
