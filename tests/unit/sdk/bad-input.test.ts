import { beforeEach, describe, expect, test, vi } from "vitest";
import { type CreateInput, type FetchLike, Stopwatch } from "../../../sdk/src/index.ts";
import { KEY, OPERATION_ID, SCHEDULE_ID } from "./fake-service.ts";

const fetch = vi.fn<FetchLike>(async () => Response.json({}));
const client = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", fetch });
const { schedules, operations, logs } = client;

beforeEach(() => {
  fetch.mockClear();
});

/** Refused before any call, naming the field. */
async function expectRefused(call: PromiseLike<unknown>, path: string, message = "") {
  await expect(call).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(message),
    details: [{ path, message: expect.stringMatching(new RegExp(`^${path.replace(/[[\].]/g, "\\$&")} `)) }],
    attempts: 0,
  });
  expect(fetch).not.toHaveBeenCalled();
}

const input = (more: object) => ({ targetUrl: "https://example.com/hook", ...more }) as CreateInput;

describe("an invalid id never reaches the network", () => {
  const ids = ["", "../me", "..", undefined, null, 7, {}, `${SCHEDULE_ID}/fire`, `${SCHEDULE_ID}\n`, ` ${SCHEDULE_ID}`];
  test.each([...ids, OPERATION_ID, SCHEDULE_ID.toUpperCase(), "sch_8zzzzzzzzzzzzzzzzzzzzzzzzz"])(
    "%j",
    async (given) => {
      const id = given as string;
      for (const call of [
        () => schedules.get(id),
        () => schedules.attempts(id),
        () => schedules.reschedule(id, { fireIn: "1h" }),
        () => schedules.fire(id),
        () => schedules.cancel(id),
        () => schedules.replay(id),
        () => schedules.clone(id, { payload: "" }),
        () => schedules.wait(id),
      ]) {
        await expectRefused(call(), "id", "such as sch_01");
      }
    },
  );

  test.each([...ids, SCHEDULE_ID])("%j of an operation", async (given) => {
    const id = given as string;
    for (const call of [() => operations.get(id), () => operations.stop(id), () => operations.wait(id)]) {
      await expectRefused(call(), "id", "such as op_01");
    }
  });
});

describe("a time", () => {
  test("must be given to a create", async () => {
    await expectRefused(schedules.create(input({})), "fireAt", 'fireIn: "90s"');
    await expectRefused(schedules.create(input({ fireAt: undefined, fireIn: undefined })), "fireAt");
    await expectRefused(schedules.create(undefined as never), "fireAt");
  });

  test("must be the only one", async () => {
    const two = { fireAt: "2031-01-01T00:00:00Z", fireIn: "90s" };
    const others = { fireIn: "90s", fireAtLocal: "2031-01-01T09:00", timezone: "UTC" };
    await expectRefused(schedules.create(input(two)), "fireIn", "beside fireAt");
    await expectRefused(schedules.create(input(others)), "fireAtLocal", "beside fireIn");
    await expectRefused(schedules.reschedule(SCHEDULE_ID, two as never), "fireIn");
    await expectRefused(schedules.replay(SCHEDULE_ID, two as never), "fireIn");
    await expectRefused(schedules.clone(SCHEDULE_ID, { ...two, payload: "" } as never), "fireIn");
  });

  test("must not be an invalid Date", async () => {
    await expectRefused(schedules.create(input({ fireAt: new Date("soon") })), "fireAt");
    await expectRefused(schedules.list({ from: new Date("soon") }), "from");
  });

  test("may be left out where it means now", async () => {
    await schedules.replay(SCHEDULE_ID);
    await schedules.reschedule(SCHEDULE_ID, { earlyFire: true });
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

describe("a payload", () => {
  test("must not stand beside json", async () => {
    await expectRefused(schedules.create(input({ fireIn: "1s", payload: "", json: null })), "payload", "json");
  });

  test("of json must be serializable", async () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    for (const json of [cycle, 1n, { at: [1n] }, () => {}, Symbol("x")]) {
      await expectRefused(schedules.create(input({ fireIn: "1s", json })), "json", "no cycle or BigInt");
    }
  });

  test("of json may be any JSON value, and sets Content-Type unless one is given", async () => {
    const sent = async (more: object) => {
      await schedules.create(input({ fireIn: "1s", ...more }));
      return JSON.parse(fetch.mock.lastCall?.[1].body ?? "");
    };
    for (const json of [null, 0, "", false, [], "\ud800"]) {
      expect(await sent({ json })).toMatchObject({
        payload: JSON.stringify(json),
        headers: { "Content-Type": "application/json" },
      });
    }
    const own = { "content-TYPE": "application/cloudevents+json", "X-A": "1" };
    expect(await sent({ json: 1, headers: own })).toMatchObject({ headers: own });
    expect((await sent({ json: 1, headers: { "X-A": "1" } })).headers).toEqual({
      "Content-Type": "application/json",
      "X-A": "1",
    });
    expect(await sent({ payload: "text" })).not.toHaveProperty("headers");
    expect(await sent({ json: undefined, payload: undefined })).not.toHaveProperty("payload");
  });

  test("of json in a clone leaves the headers of the original alone, unless headers are given", async () => {
    const sent = async (more: object) => {
      await schedules.clone(SCHEDULE_ID, { json: 1, ...more });
      return JSON.parse(fetch.mock.lastCall?.[1].body ?? "");
    };
    expect(await sent({})).toEqual({ payload: "1", idempotencyKey: expect.any(String) });
    expect(await sent({ headers: {} })).toMatchObject({ headers: { "Content-Type": "application/json" } });
    // To another target no header of the original is carried over.
    const elsewhere = await sent({ targetUrl: new URL("https://example.com/y") });
    expect(elsewhere).toMatchObject({
      targetUrl: "https://example.com/y",
      headers: { "Content-Type": "application/json" },
    });
  });

  test("is sent unchanged, even with a lone surrogate, which the service refuses", async () => {
    const payload = "\ud800 \0 \u2028 é 😀";
    await schedules.create(input({ fireIn: "1s", payload }));
    const body = fetch.mock.lastCall?.[1].body ?? "";
    expect(body.isWellFormed()).toBe(true);
    expect(JSON.parse(body).payload).toBe(payload);
  });
});

describe("headers", () => {
  test.each(["one\r\nX-Other: 1", "one\ntwo", "one\r", "\n"])("with the value %j are refused", async (value) => {
    await expectRefused(
      schedules.create(input({ fireIn: "1s", headers: { "X-A": value } })),
      "headers.X-A",
      "one line",
    );
    await expectRefused(schedules.clone(SCHEDULE_ID, { payload: "", headers: { "X-A": value } }), "headers.X-A");
  });

  test("in another form than a plain object are refused", async () => {
    for (const headers of [new Headers({ a: "1" }), new Map([["a", "1"]]), [["a", "1"]]]) {
      await expectRefused(schedules.create(input({ fireIn: "1s", headers })), "headers", 'such as { a: "1" }');
    }
  });
});

test("a filter that cannot be serialized is refused", async () => {
  await expectRefused(logs.list({ q: "\ud800" }), "q");
  await expectRefused(schedules.list({ sort: Object.create(null) }), "sort");
});

test("a body that cannot be serialized is refused", async () => {
  await expectRefused(client.request("POST", "/v1/things", { body: 1n }), "body");
  await expectRefused(schedules.create(input({ fireIn: "1s", headers: { a: 1n } })), "input");
});

test("invalid options of a call or a client are refused", async () => {
  for (const options of [{ timeoutMs: -1 }, { attemptTimeoutMs: Number.NaN }, { maxRetries: "3" as never }]) {
    const other = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", fetch, ...options });
    await expectRefused(other.usage(), Object.keys(options)[0] as string);
  }
  await expectRefused(schedules.get(SCHEDULE_ID, { timeoutMs: -1 }), "timeoutMs");
  await expectRefused(schedules.get(SCHEDULE_ID, { timeoutMs: Number.NaN }), "timeoutMs");
  await expectRefused(schedules.wait(SCHEDULE_ID, { timeoutMs: "1" as never }), "timeoutMs");
  await expectRefused(client.usage({ maxRetries: -1 }), "maxRetries");
  await expectRefused(schedules.createMany([], { timeoutMs: -1 }), "timeoutMs");
  await expectRefused(schedules.createMany([], { concurrency: 0 }), "concurrency");
  await expectRefused(schedules.createMany([], { batchSize: Number.NaN }), "batchSize");
  await expectRefused(schedules.createMany(undefined as never), "items");
  await expectRefused(schedules.createMany({} as never), "items");
});

describe("an absent value never widens what is done", () => {
  test("a filter of an operation with an undefined value is refused, whatever stands beside it", async () => {
    for (const action of ["cancel", "replay"] as const) {
      await expectRefused(operations.start({ action, filter: { q: undefined } }), "filter.q");
      await expectRefused(operations.start({ action, filter: { status: ["dead"], host: undefined } }), "filter.host");
    }
    await operations.start({ action: "cancel", all: true });
    expect(JSON.parse(fetch.mock.lastCall?.[1].body ?? "")).toMatchObject({ action: "cancel", all: true });
  });

  test("a replay or clone at an undefined time is refused: it would be sent now", async () => {
    await expectRefused(schedules.replay(SCHEDULE_ID, { fireAt: undefined }), "fireAt");
    await expectRefused(schedules.clone(SCHEDULE_ID, { payload: "", fireIn: undefined }), "fireIn");
    await schedules.replay(SCHEDULE_ID, { fireIn: "1h", fireAt: undefined });
    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe("an option that does not exist is refused, with the one that is meant", () => {
  test("of a call", async () => {
    const key = { idempotencyKey: "order-7" } as object;
    await expectRefused(schedules.create(input({ fireIn: "1s" }), key), "idempotencyKey", "timeoutMs");
    await expectRefused(schedules.get(SCHEDULE_ID, { timeout: 5 } as object), "timeout", "timeoutMs is");
    await expectRefused(schedules.list({}, { retries: 5 } as object), "retries", "maxRetries is");
    await expectRefused(schedules.createMany([], { onprogress: 5 } as object), "onprogress");
  });

  test.each([
    ["baseURL", "baseUrl is"],
    ["timeout", "timeoutMs is"],
    ["url", "baseUrl is"],
    ["apiKey", "baseUrl"],
  ])("of the client: %s", (name, problem) => {
    const make = () => new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", [name]: "x" });
    expect(make).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(problem) }),
    );
  });
});

test("an idempotency key that is null is refused, and does not become a random one", async () => {
  const lost = input({ fireIn: "1s", idempotencyKey: null });
  await expectRefused(schedules.create(lost), "idempotencyKey");
  await expectRefused(schedules.replay(SCHEDULE_ID, lost), "idempotencyKey");
  await expectRefused(
    operations.start({ action: "cancel", all: true, idempotencyKey: null } as never),
    "idempotencyKey",
  );
  const { rejected } = await schedules.createMany([lost]);
  expect(rejected).toMatchObject([{ index: 0, code: "INVALID_ARGUMENT" }]);
});

describe("what JSON would write as an empty object is refused", () => {
  test.each([["2h"], [new Date()], [new Map()], [["2h"]], [7]])("in place of an input: %j", async (given) => {
    await expectRefused(schedules.reschedule(SCHEDULE_ID, given as never), "input", 'fireIn: "2h"');
    await expectRefused(schedules.replay(SCHEDULE_ID, given as never), "input", 'fireIn: "2h"');
  });

  test.each([
    [new Map([[1, 2]])],
    [new Set()],
    [Promise.resolve(1)],
    [new URLSearchParams("a=1")],
    [{ at: new Map() }],
  ])("as json (%#)", async (json) => {
    await expectRefused(schedules.create(input({ fireIn: "1s", json })), "json", "no Map or Promise");
  });
});

test("values that only the service can judge are sent to it", async () => {
  for (const more of [
    { targetUrl: "ftp://10.0.0.1" },
    { fireAt: "yesterday" },
    { fireAt: null },
    { headers: { Host: "x" } },
    { headers: null },
    { idempotencyKey: "" },
    { method: "post" },
    { fieldOfANewerService: 1 },
  ]) {
    await schedules.create(input({ fireIn: "fireAt" in more ? undefined : "1s", ...more }));
    expect(JSON.parse(fetch.mock.lastCall?.[1].body ?? "")).toMatchObject(more);
  }
});
