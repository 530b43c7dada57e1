import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { RescheduleInput } from "../../../sdk/src/index.ts";
import { waitByTurns } from "../helpers/wait-by-turns.ts";
import {
  type Answer,
  type FakeService,
  hangUp,
  json,
  refusal,
  SCHEDULE_ID,
  silence,
  startFakeService,
} from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => service.stop());

// The service's clock is a day ahead of this machine's.
const serverMs = () => Date.now() + 86_400_000;
const date = () => ({ Date: new Date(serverMs()).toUTCString() });
const at = (ms: number) => new Date(serverMs() + ms).toISOString();

/** The schedule as the service shows it, read while it answers. */
const shows =
  (schedule: () => object): Answer =>
  (...args) =>
    json(200, { id: SCHEDULE_ID, status: "firing", attempts: 1, early_fire: false, ...schedule() }, date())(...args);

const conflict: Answer = (...args) => refusal(409, "CONFLICT", {}, date())(...args);
const past: Answer = (...args) => refusal(400, "VALIDATION", {}, date())(...args);

const reschedule = (input: RescheduleInput, options = {}) =>
  service.client().schedules.reschedule(SCHEDULE_ID, input, options);
const fire = (options = {}) => service.client().schedules.fire(SCHEDULE_ID, options);
const methods = () =>
  service.requests.map(({ method, url }) => `${method} ${url.replace(`/v1/schedules/${SCHEDULE_ID}`, "")}`);

/** The longest wait after a first try. */
const LONGEST_WAIT_MS = 500;

/** Makes a call whose first try gets no answer, and has that try end by its bound at once. */
async function timeOutOnce<T>(call: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const ended = call();
    ended.catch(() => {});
    await waitByTurns("the first try has arrived", () => service.requests.length === 1);
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);
    return await ended;
  } finally {
    vi.useRealTimers();
  }
}
describe("a PATCH whose answer was lost and whose repeat is refused", () => {
  test.each(["1h30m", "PT90M", "PT1H30M", "5400s", "1.5h"])(
    "with fireIn %s repeats the same body, and returns the schedule when it was moved as requested",
    async (fireIn) => {
      service.answer(
        hangUp,
        conflict,
        shows(() => ({ fire_at: at(5_400_000 - 300) })),
      );
      expect(await reschedule({ fireIn })).toMatchObject({ id: SCHEDULE_ID, status: "firing" });
      expect(methods()).toEqual(["PATCH ", "PATCH ", "GET "]);
      expect(service.requests.slice(0, 2).map(({ text }) => text)).toEqual([
        `{"fireIn":"${fireIn}"}`,
        `{"fireIn":"${fireIn}"}`,
      ]);
    },
  );

  test.each([-10_000, 10_000])(
    "rejects with the refusal when the schedule is %i ms from the requested time",
    async (offMs) => {
      service.answer(
        hangUp,
        conflict,
        shows(() => ({ fire_at: at(60_000 + offMs) })),
      );
      await expect(reschedule({ fireIn: "60s" })).rejects.toMatchObject({ code: "CONFLICT", status: 409, attempts: 2 });
      expect(methods()).toEqual(["PATCH ", "PATCH ", "GET "]);
    },
  );

  test("with fireAt returns the schedule when it has that time, even when the time has passed", async () => {
    const fireAt = "2031-01-01T00:00:00.1231+01:00";
    for (const refused of [conflict, past]) {
      service.answer(
        silence,
        refused,
        shows(() => ({ fire_at: "2030-12-31T23:00:00.124Z" })),
      );
      expect(await timeOutOnce(() => reschedule({ fireAt }))).toMatchObject({ id: SCHEDULE_ID });
    }
    service.answer(
      silence,
      conflict,
      shows(() => ({ fire_at: "2030-12-31T23:00:00.126Z" })),
    );
    await expect(timeOutOnce(() => reschedule({ fireAt: new Date(fireAt) }))).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("with earlyFire returns the schedule only when it has that setting", async () => {
    const instant = "2031-01-01T00:00:00.000Z";
    for (const [early_fire, fireAt] of [
      [true, undefined],
      [true, instant],
    ] as const) {
      service.answer(
        hangUp,
        conflict,
        shows(() => ({ fire_at: instant, early_fire })),
      );
      expect(await reschedule({ earlyFire: true, fireAt } as RescheduleInput)).toMatchObject({ early_fire });
      service.answer(
        hangUp,
        conflict,
        shows(() => ({ fire_at: instant, early_fire: !early_fire })),
      );
      await expect(reschedule({ earlyFire: true, fireAt } as RescheduleInput)).rejects.toMatchObject({
        code: "CONFLICT",
      });
    }
  });

  test("with fireAtLocal rejects with the refusal, because only the service knows the zones", async () => {
    service.answer(
      hangUp,
      conflict,
      shows(() => ({ fire_at: "2031-01-01T08:00:00.000Z" })),
    );
    const local = { fireAtLocal: "2031-01-01T09:00", timezone: "Europe/Berlin" };
    await expect(reschedule(local)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("rejects with the refusal when the schedule cannot be read", async () => {
    service.answer(hangUp, conflict, refusal(404, "NOT_FOUND"));
    await expect(reschedule({ fireIn: "60s" })).rejects.toMatchObject({ code: "CONFLICT" });
    service.answer(hangUp, conflict, hangUp);
    await expect(reschedule({ fireIn: "60s" }, { maxRetries: 1 })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("rejects with the refusal when timeoutMs is over while the schedule is read", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    service.answer(hangUp, conflict, silence);
    const onRetry = vi.fn();
    const call = service.client({ onRetry }).schedules.reschedule(SCHEDULE_ID, { fireIn: "60s" }, { timeoutMs: 1_000 });
    const refused = expect(call).rejects.toMatchObject({ code: "CONFLICT" });
    await waitByTurns("the first try has failed", () => onRetry.mock.calls.length === 1);
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);
    await waitByTurns("the schedule is read", () => service.requests.length === 3);
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
    expect(methods()).toEqual(["PATCH ", "PATCH ", "GET "]);
  });
});

test("a call whose first try is refused is followed by no read", async () => {
  service.answer(conflict);
  await expect(reschedule({ fireIn: "60s" })).rejects.toMatchObject({ code: "CONFLICT", attempts: 1 });
  await expect(fire()).rejects.toMatchObject({ code: "CONFLICT", attempts: 1 });
  // 429: it was certainly not carried out.
  service.answer(refusal(429, "RATE_LIMITED"), conflict);
  await expect(fire()).rejects.toMatchObject({ code: "CONFLICT", attempts: 2 });
  expect(methods()).toEqual(["POST /fire", "POST /fire"]);
});

describe("a fire whose answer was lost and whose repeat is refused", () => {
  test.each([hangUp, silence, refusal(503, "UNAVAILABLE"), refusal(500, "INTERNAL")])(
    "returns the schedule when it was moved to now (%#)",
    async (fault) => {
      service.answer(
        fault,
        conflict,
        shows(() => ({ status: "succeeded", fire_at: at(-500), updated_at: at(-400) })),
      );
      expect(await (fault === silence ? timeOutOnce(fire) : fire())).toMatchObject({ status: "succeeded" });
      expect(methods()).toEqual(["POST /fire", "POST /fire", "GET "]);
    },
  );

  test("returns the schedule when its retry was made after the call began", async () => {
    const schedule = { attempts: 2, fire_at: at(-3_600_000) };
    service.answer(
      hangUp,
      conflict,
      shows(() => ({ ...schedule, updated_at: at(-200) })),
    );
    expect(await fire()).toMatchObject({ attempts: 2 });
    service.answer(
      hangUp,
      conflict,
      shows(() => ({ ...schedule, updated_at: at(-60_000) })),
    );
    await expect(fire()).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("rejects with the refusal when the schedule was cancelled, or sent before the call", async () => {
    for (const schedule of [
      { status: "cancelled", fire_at: at(-100), updated_at: at(0) },
      { status: "succeeded", fire_at: at(-60_000), updated_at: at(-59_000) },
    ]) {
      service.answer(
        hangUp,
        conflict,
        shows(() => schedule),
      );
      await expect(fire()).rejects.toMatchObject({ code: "CONFLICT", attempts: 2 });
    }
  });

  test("rejects with the signal's reason when it is aborted while the schedule is read", async () => {
    const controller = new AbortController();
    service.answer(hangUp, conflict, () => controller.abort("stop"));
    await expect(fire({ signal: controller.signal })).rejects.toBe("stop");
  });
});
