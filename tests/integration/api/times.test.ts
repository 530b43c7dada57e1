import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Answer, type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";
import { assertSchema } from "./documented.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
  caller = await api.account("indie");
});
afterAll(() => api.stop());

type Body = Record<string, unknown>;

const post = (path: string, body: Body) => api.call("POST", path, caller.live, body);

/** The places that take a time. Each returns the answer's status, and what it says of the schedule or of the error. */
const PLACES: Record<string, (time: Body) => Promise<Answer>> = {
  create: (time) => post("/v1/schedules", { targetUrl: TARGET, ...time }),
  "bulk item": async (time) => {
    const answer = await post("/v1/schedules/bulk", { schedules: [{ targetUrl: TARGET, ...time }] });
    const [accepted, rejected] = [answer.body.accepted[0], answer.body.rejected[0]];
    return { ...answer, status: accepted ? 201 : 400, body: accepted ?? { error: rejected } };
  },
  replay: async (time) => post(`/v1/schedules/${await api.create(caller.live)}/replay`, time),
  clone: async (time) => post(`/v1/schedules/${await api.create(caller.live)}/clone`, { payload: "p", ...time }),
  PATCH: async (time) => api.call("PATCH", `/v1/schedules/${await api.create(caller.live)}`, caller.live, time),
  "PATCH with earlyFire": async (time) =>
    api.call("PATCH", `/v1/schedules/${await api.create(caller.live)}`, caller.live, { ...time, earlyFire: true }),
};
const places = Object.keys(PLACES);
const give = (place: string, time: Body) => (PLACES[place] as (typeof PLACES)[string])(time);

async function databaseNowMs(): Promise<number> {
  const [row] = await api.sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`;
  return row?.ms;
}

describe.each(places)("a time in %s", (place) => {
  it.each([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["PT90M", 5_400_000],
    ["1s", 1_000],
    ["1.0005s", 1_001],
    ["365250d", 365_250 * 86_400_000],
  ])("that is the duration %s is so long after now", async (fireIn, ms) => {
    const beforeMs = await databaseNowMs();
    const { status, body } = await give(place, { fireIn });
    const afterMs = await databaseNowMs();
    expect([200, 201]).toContain(status);
    const nowMs = Date.parse(body.fire_at) - ms;
    expect(nowMs).toBeGreaterThanOrEqual(beforeMs);
    // Rounded up to a millisecond.
    expect(nowMs).toBeLessThanOrEqual(afterMs + 1);
    expect(body).not.toHaveProperty("clock_change");
  });

  it("that is a duration counts from the database's now, however wrong the clock of this process is", async () => {
    const beforeMs = await databaseNowMs();
    const wrong = vi.spyOn(Date, "now").mockReturnValue(beforeMs + 5 * 86_400_000);
    try {
      const { body } = await give(place, { fireIn: "90s" });
      const nowMs = Date.parse(body.fire_at) - 90_000;
      expect(nowMs).toBeGreaterThanOrEqual(beforeMs);
      expect(nowMs).toBeLessThan(beforeMs + 60_000);
    } finally {
      wrong.mockRestore();
    }
  });

  it.each([
    ["2031-03-30T09:00", "Europe/Berlin", "2031-03-30T07:00:00.000Z", null],
    ["2031-03-30T09:00:00.0001", "Europe/Berlin", "2031-03-30T07:00:00.001Z", null],
    ["2031-03-30T02:30", "Europe/Berlin", "2031-03-30T01:30:00.000Z", "gap"],
    ["2031-10-26T02:30", "Europe/Berlin", "2031-10-26T00:30:00.000Z", "repeat"],
    ["2031-03-09T02:30", "America/New_York", "2031-03-09T07:30:00.000Z", "gap"],
    ["2031-11-02T01:30", "America/New_York", "2031-11-02T05:30:00.000Z", "repeat"],
    ["2031-10-05T02:15", "Australia/Lord_Howe", "2031-10-04T15:45:00.000Z", "gap"],
    ["2031-04-06T01:45", "Australia/Lord_Howe", "2031-04-05T14:45:00.000Z", "repeat"],
    ["2031-03-30T01:30", "Europe/Dublin", "2031-03-30T01:30:00.000Z", "gap"],
    ["2031-10-26T01:30", "Europe/Dublin", "2031-10-26T00:30:00.000Z", "repeat"],
    ["2031-03-30T02:30", "Asia/Kolkata", "2031-03-29T21:00:00.000Z", null],
    ["2031-03-30T02:30", "utc", "2031-03-30T02:30:00.000Z", null],
  ])(
    "that is %s in %s is %s, and the answer says how the clocks change: %s",
    async (fireAtLocal, timezone, fireAt, change) => {
      const { status, body } = await give(place, { fireAtLocal, timezone });
      expect([200, 201]).toContain(status);
      expect(body).toMatchObject({ fire_at: fireAt, clock_change: change });
    },
  );

  it("that comes twice is the first, the second, or refused, as onClockChange says", async () => {
    const twice = { fireAtLocal: "2031-10-26T02:30", timezone: "Europe/Berlin" };
    const first = await give(place, { ...twice, onClockChange: "first" });
    expect(first.body).toMatchObject({ fire_at: "2031-10-26T00:30:00.000Z", clock_change: "repeat" });
    const second = await give(place, { ...twice, onClockChange: "second" });
    expect(second.body).toMatchObject({ fire_at: "2031-10-26T01:30:00.000Z", clock_change: "repeat" });
    const refused = await give(place, { ...twice, onClockChange: "refuse" });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: "VALIDATION",
      message:
        "fireAtLocal comes twice there, at 2031-10-26T00:30:00.000Z and 2031-10-26T01:30:00.000Z: choose one with fireAt or onClockChange",
    });
  });

  it("that the clocks skip is refused when onClockChange says so, and otherwise the one by the offset before", async () => {
    const skipped = { fireAtLocal: "2031-03-30T02:30", timezone: "Europe/Berlin" };
    const second = await give(place, { ...skipped, onClockChange: "second" });
    expect(second.body).toMatchObject({ fire_at: "2031-03-30T01:30:00.000Z", clock_change: "gap" });
    const refused = await give(place, { ...skipped, onClockChange: "refuse" });
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toBe(
      "fireAtLocal does not exist there: the clocks go from 2031-03-30T02:00:00 to 2031-03-30T03:00:00",
    );
  });

  it.each([
    [{ fireAt: "2020-01-01T00:00:00Z" }, "fireAt"],
    [{ fireAtLocal: "2020-01-01T00:00", timezone: "Europe/Berlin" }, "fireAtLocal"],
  ])("that has passed is VALIDATION of its own field: %j", async (time, path) => {
    const { status, body } = await give(place, time);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "VALIDATION", message: `${path} must be in the future` });
    if (place !== "bulk item") expect(body.error.details).toEqual([{ path, message: "must be in the future" }]);
  });

  it("that is an instant is answered without clock_change", async () => {
    expect((await give(place, { fireAt: FUTURE })).body).not.toHaveProperty("clock_change");
  });
});

describe("no time", () => {
  it("is now for replay and clone, and allowed in PATCH beside earlyFire alone", async () => {
    for (const place of ["replay", "clone"]) {
      const beforeMs = await databaseNowMs();
      const { status, body } = await give(place, {});
      expect(status).toBe(201);
      expect(Date.parse(body.fire_at)).toBeGreaterThanOrEqual(beforeMs);
      expect(Date.parse(body.fire_at)).toBeLessThanOrEqual((await databaseNowMs()) + 1);
    }
    expect((await give("PATCH with earlyFire", {})).body).toMatchObject({ fire_at: FUTURE, early_fire: true });
    const { status, body } = await give("PATCH", {});
    expect(status).toBe(400);
    expect(body.error.message).toBe(
      "The body must have a time (fireAt, fireIn, or fireAtLocal with timezone), earlyFire or both.",
    );
  });
});

it("the document allows the same times as the API, in every place", async () => {
  const local = { fireAtLocal: "2031-01-01T09:00", timezone: "UTC" };
  const combinations: Body[] = [
    ...[{}, { fireAt: FUTURE }, { fireIn: "1h" }, local, { ...local, onClockChange: "second" }],
    ...[
      { fireAt: FUTURE, fireIn: "1h" },
      { fireAt: FUTURE, ...local },
      { fireIn: "1h", timezone: "UTC" },
    ],
    ...[{ timezone: "UTC" }, { onClockChange: "first" }, { fireAtLocal: "2031-01-01T09:00" }],
    ...[
      { fireAtLocal: "2031-01-01T09:00", onClockChange: "first" },
      { ...local, onClockChange: "later" },
    ],
  ];
  const schemas: [string, string, Body][] = [
    ["create", "/components/schemas/NewSchedule", { targetUrl: TARGET }],
    ["replay", bodyOf("/v1/schedules/{id}/replay", "post"), {}],
    ["clone", bodyOf("/v1/schedules/{id}/clone", "post"), { payload: "" }],
    ["PATCH with earlyFire", bodyOf("/v1/schedules/{id}", "patch"), { earlyFire: true }],
  ];
  for (const [place, pointer, rest] of schemas) {
    for (const time of combinations) {
      const { status } = await give(place, time);
      const isAllowed = !throws(() => assertSchema(pointer, { ...rest, ...time }));
      expect(isAllowed, `${place} ${JSON.stringify(time)} was answered ${status}`).toBe(status < 300);
    }
  }
});

const bodyOf = (path: string, method: string) =>
  `/paths/${path.replaceAll("/", "~1")}/${method}/requestBody/content/application~1json/schema`;

function throws(work: () => void): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

it.each<[string, Body]>([
  ["has passed", { fireAt: "2020-01-01T00:00:00Z" }],
  ["the clocks skip", { fireAtLocal: "2031-03-30T02:30", timezone: "Europe/Berlin", onClockChange: "refuse" }],
])("PATCH of an unknown schedule to a time that %s is NOT_FOUND", async (_, time) => {
  const path = "/v1/schedules/sch_01kbm5qk4f8rz3c2x7w9v6n1ta";
  expect(await api.call("PATCH", path, caller.live, time)).toMatchObject({ status: 404 });
});

describe("a batch of all kinds of times", () => {
  it("has each item at its time, and reports each that has none", async () => {
    const times: Body[] = [
      { fireAt: FUTURE },
      { fireIn: "1h" },
      { fireAt: FUTURE, fireIn: "1h" },
      { fireAtLocal: "2031-10-26T02:30", timezone: "Europe/Berlin", onClockChange: "second" },
      { fireAtLocal: "2031-10-26T02:30", timezone: "Europe/Berlin", onClockChange: "refuse" },
      { fireAtLocal: "2020-10-26T02:30", timezone: "Europe/Berlin" },
      { fireIn: "1h", idempotencyKey: "batch" },
      {},
    ];
    const { body } = await post("/v1/schedules/bulk", {
      schedules: times.map((time) => ({ targetUrl: TARGET, ...time })),
    });
    expect(body.accepted).toMatchObject([
      { index: 0, fire_at: FUTURE },
      { index: 1 },
      { index: 3, fire_at: "2031-10-26T01:30:00.000Z", clock_change: "repeat" },
      { index: 6 },
    ]);
    expect(body.accepted[1].fire_at).toBe(body.accepted[3].fire_at);
    expect(body.rejected.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual(
      [2, 4, 5, 7].map((index) => [index, "VALIDATION"]),
    );
    const again = await post("/v1/schedules/bulk", {
      schedules: [{ targetUrl: TARGET, fireIn: "PT60M", idempotencyKey: "batch" }],
    });
    expect(again.body.accepted).toEqual([{ ...body.accepted[3], index: 0, replayed: true }]);
  });
});

describe("a known idempotency key", () => {
  let n = 0;
  const newKey = () => `time-${n++}`;

  const singles: Record<string, () => Promise<(body: Body) => Promise<Answer>>> = {
    create: async () => (body) => post("/v1/schedules", { targetUrl: TARGET, ...body }),
    "bulk item": async () => async (body) => {
      const answer = await post("/v1/schedules/bulk", { schedules: [{ targetUrl: TARGET, ...body }] });
      const [accepted] = answer.body.accepted;
      return {
        ...answer,
        body: { ...accepted, replayed: accepted?.replayed ?? false, mismatch: accepted?.mismatch ?? false },
      };
    },
    replay: async () => {
      const id = await api.create(caller.live);
      return (body) => post(`/v1/schedules/${id}/replay`, body);
    },
    clone: async () => {
      const id = await api.create(caller.live);
      return (body) => post(`/v1/schedules/${id}/clone`, { payload: "p", ...body });
    },
  };

  it.each(Object.keys(singles))("comes before everything that refuses an instant: %s", async (place) => {
    const send = await (singles[place] as (typeof singles)[string])();
    const berlin = { timezone: "Europe/Berlin", onClockChange: "refuse" };
    const refused: Body[] = [
      { fireAtLocal: "2031-03-30T02:30", ...berlin },
      { fireAtLocal: "2031-10-26T02:30", ...berlin },
      { fireAtLocal: "9999-12-31T23:59", timezone: "America/New_York" },
      { fireAtLocal: "2020-01-01T00:00", timezone: "UTC" },
      { fireAt: "2020-01-01T00:00:00Z" },
    ];
    const idempotencyKey = newKey();
    const first = await send({ fireAt: FUTURE, idempotencyKey });
    for (const time of refused) {
      const again = await send({ ...time, idempotencyKey });
      expect([again.status, again.body.id], JSON.stringify(time)).toEqual([200, first.body.id]);
      expect(again.body).toMatchObject({ replayed: true, mismatch: true, fire_at: FUTURE });
      const unknown = await send({ ...time, idempotencyKey: newKey() });
      expect(unknown.body.id, JSON.stringify(time)).toBeUndefined();
    }
  });

  it.each(Object.keys(singles))("compares durations and local times as they were given: %s", async (place) => {
    const send = await (singles[place] as (typeof singles)[string])();
    const local = { fireAtLocal: "2031-10-26T02:30", timezone: "Europe/Berlin" };
    const same: [Body, Body][] = [
      [{ fireIn: "90s" }, { fireIn: "90s" }],
      [{ fireIn: "90s" }, { fireIn: "PT1M30S" }],
      [{ fireAt: "2031-01-01T09:00:00Z" }, { fireAt: "2031-01-01T10:00:00.000+01:00" }],
      [local, { ...local, onClockChange: "first" }],
    ];
    const other: [Body, Body][] = [
      [{ fireIn: "90s" }, { fireIn: "91s" }],
      [{ fireIn: "90s" }, { fireAt: FUTURE }],
      [local, { ...local, onClockChange: "second" }],
      [local, { ...local, timezone: "Europe/Paris" }],
      [local, { fireAt: "2031-10-26T00:30:00Z" }],
      [{ fireAt: "2031-10-26T00:30:00Z" }, local],
    ];
    for (const [pairs, mismatch] of [
      [same, false],
      [other, true],
    ] as const) {
      for (const [given, again] of pairs) {
        const idempotencyKey = newKey();
        const first = await send({ ...given, idempotencyKey });
        expect(first.body).toMatchObject({ replayed: false, mismatch: false });
        const second = await send({ ...again, idempotencyKey });
        expect(second.body, JSON.stringify([given, again])).toMatchObject({
          id: first.body.id,
          fire_at: first.body.fire_at,
          replayed: true,
          mismatch,
        });
      }
    }
  });

  it("compares target, headers and payload as they would be delivered", async () => {
    const send = (body: Body) => post("/v1/schedules", { fireIn: "1h", ...body });
    const given = { targetUrl: "https://example.com/a?b=c", headers: { "X-A": "1" } };
    for (const [again, mismatch] of [
      [{ ...given, targetUrl: "HTTPS://EXAMPLE.com:443/a?b=c#top" }, false],
      [{ ...given, targetUrl: "https://example.com./x/../a?b=c" }, false],
      [{ ...given, headers: { "x-a": " 1\t" } }, false],
      [{ ...given, payload: "" }, false],
      [{ ...given, targetUrl: "https://example.com/A?b=c" }, true],
      [{ ...given, headers: { "X-A": "1 1" } }, true],
      [{ ...given, payload: " " }, true],
    ] as const) {
      const idempotencyKey = newKey();
      await send({ ...given, idempotencyKey });
      expect((await send({ ...again, idempotencyKey })).body, JSON.stringify(again)).toMatchObject({
        replayed: true,
        mismatch,
      });
    }
  });
});
