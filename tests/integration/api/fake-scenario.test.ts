import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Schedule, verifySignature, verifyStripeStyle } from "../../../sdk/src/index.ts";
import { untilHourLasts } from "../../helpers/until-hour-lasts.ts";
import { type Answer, FUTURE, type Method } from "./api.ts";
import { comparable } from "./compare-answers.ts";
import { type Side, startSides, type TargetAnswer } from "./fake-sides.ts";

let sides: Awaited<ReturnType<typeof startSides>>;

beforeAll(async () => {
  // The clock of the fake stands while that of the service goes on: both have the same steps only within an hour.
  await untilHourLasts(60_000);
  sides = await startSides();
});
afterAll(async () => {
  await sides.close();
});

type Call = (method: Method, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>;

/** What a scenario does with one side. Every answer to `call` is recorded. */
type Tools = {
  side: Side;
  call: Call;
  create(body?: object): Promise<string>;
  /** Makes one attempt at a schedule, which the target answers with `answer`, and waits for its end. */
  fire(id: string, answer?: TargetAnswer): Promise<void>;
};

/** Runs a scenario on the service and on the SDK's fake, and compares every answer. Returns the results of both. */
async function compare<T>(story: (tools: Tools) => Promise<T>): Promise<{ real: T; fake: T }> {
  const [real, fake] = [await run(sides.real, story), await run(sides.fake, story)];
  expect(fake.answers).toEqual(real.answers);
  return { real: real.result, fake: fake.result };
}

async function run<T>(side: Side, story: (tools: Tools) => Promise<T>) {
  const answers: unknown[] = [];
  const ids = new Map<string, string>();
  const call: Call = async (method, path, body, headers) => {
    const answer = await side.call(method, path, body, headers);
    answers.push({ call: `${method} ${hideIds(path, ids)}`, ...comparable(answer, ids) });
    return answer;
  };
  const get = async (id: string) => (await side.call("GET", `/v1/schedules/${id}`)).body;
  const result = await story({
    side,
    call,
    create: async (body) => {
      const answer = await call("POST", "/v1/schedules", { targetUrl: sides.target, fireAt: FUTURE, ...body });
      return answer.body.id;
    },
    async fire(id, answer) {
      const before = (await get(id)).attempts;
      if (answer) side.answers.push(answer);
      await side.call("POST", `/v1/schedules/${id}/fire`);
      await side.settle(async () => {
        const { attempts, status } = await get(id);
        return attempts > before && status !== "firing";
      });
    },
  });
  return { answers, result };
}

function hideIds(path: string, ids: ReadonlyMap<string, string>): string {
  return path.replace(/(sch|op)_[0-9a-z]{26}/g, (id) => ids.get(id) ?? id).replace(/after=[^&]+/, "after=…");
}

const UNKNOWN = "sch_7zzzzzzzzzzzzzzzzzzzzzzzzz";

it("the fake answers as the service does: a schedule that is delivered, replayed, cloned and read", async () => {
  await compare(async ({ call, create, fire }) => {
    const id = await create({ payload: "hello", headers: { "X-A": "1" }, method: "PUT", earlyFire: false });
    await call("GET", `/v1/schedules/${id}`);
    await fire(id);
    await call("GET", `/v1/schedules/${id}`);
    await call("GET", `/v1/schedules/${id}/attempts`);
    await call("PATCH", `/v1/schedules/${id}`, { fireAt: FUTURE });
    await call("DELETE", `/v1/schedules/${id}`);
    await call("POST", `/v1/schedules/${id}/fire`);
    const replay = await call("POST", `/v1/schedules/${id}/replay`, { fireAt: FUTURE });
    const clone = await call("POST", `/v1/schedules/${id}/clone`, { payload: "other", fireAt: FUTURE });
    for (const { body } of [replay, clone]) {
      await fire(body.id);
      await call("GET", `/v1/schedules/${body.id}`);
    }
    for (const filter of ["", "outcome=failed", `schedule_id=${id}&code=2xx`, `q=${id}`, "limit=1"])
      await call("GET", `/v1/logs?${filter}`);
  });
});

it("the fake answers as the service does: a target that fails until no retry is left, and one that answers 410", async () => {
  const answers: TargetAnswer[] = [
    { status: 500, body: "broken" },
    { status: 503, headers: { "Retry-After": "7000" }, body: `a\0${"😀".repeat(1_100)}` },
    { status: 302, headers: { Location: "https://example.com/" } },
    { status: 0 },
    { status: 404, body: "nothing here" },
  ];
  const { real, fake } = await compare(async ({ call, create, fire }) => {
    const id = await create({ payload: "hello" });
    const waits: number[] = [];
    for (const answer of answers) {
      await fire(id, answer);
      await call("GET", `/v1/schedules/${id}`);
      const { body } = await call("GET", `/v1/schedules/${id}/attempts`);
      if (body.next_attempt_at === null) continue;
      waits.push(Date.parse(body.next_attempt_at) - Date.parse(body.items.at(-1).attempted_at));
      await call("PATCH", `/v1/schedules/${id}`, { fireAt: FUTURE });
    }
    await call("POST", `/v1/schedules/${id}/fire`);
    await call("POST", `/v1/schedules/${id}/replay`, { fireAt: FUTURE });
    await call("DELETE", `/v1/schedules/${id}`);
    const gone = await create();
    await fire(gone, { status: 410 });
    await call("GET", `/v1/schedules/${gone}`);
    for (const code of ["none", "3xx", "4xx", "5xx"]) await call("GET", `/v1/logs?code=${code}`);
    return waits;
  });
  expect(fake).toEqual([30_000, 7_000_000, 120_000, 240_000]);
  for (const [at, waitMs] of fake.entries()) {
    expect(real[at]).toBeGreaterThanOrEqual(waitMs);
    expect(real[at]).toBeLessThan(waitMs * 1.25 + 5_000);
  }
});

it("the fake answers as the service does: a Retry-After that is a date, and one that is too far ahead", async () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
  const { real, fake } = await compare(async ({ call, create, fire }) => {
    const waits: number[] = [];
    for (const after of [inSeconds(1_000), "1000000", inSeconds(-1_000), "soon"]) {
      const id = await create();
      await fire(id, { status: 429, headers: { "Retry-After": after } });
      const { body } = await call("GET", `/v1/schedules/${id}/attempts`);
      waits.push(Date.parse(body.next_attempt_at) - Date.parse(body.items[0].attempted_at));
      await call("DELETE", `/v1/schedules/${id}`);
    }
    return waits;
  });
  expect(fake.slice(1)).toEqual([7_230_000, 30_000, 30_000]);
  for (const [at, waitMs] of fake.entries()) {
    expect(real[at]).toBeGreaterThan(waitMs - 60_000);
    expect(real[at]).toBeLessThan(waitMs + 60_000);
  }
});

it("the fake answers as the service does: idempotency keys, as field and as header", async () => {
  await compare(async ({ side, call, create, fire }) => {
    const key = { idempotencyKey: "order-1" };
    const id = await create({ ...key, payload: "a", headers: { "X-A": "1", "X-B": "2" } });
    await create({ ...key, payload: "a", headers: { "x-b": "2", "x-a": "1" } });
    for (const other of [{ payload: "b" }, { payload: "a", method: "PUT" }, { fireAt: "2032-01-01T00:00:00Z" }])
      await create({ ...key, ...other });
    const body = { targetUrl: sides.target, fireAt: FUTURE };
    await call("POST", "/v1/schedules", body, { "Idempotency-Key": "order-2" });
    await call("POST", "/v1/schedules", { ...body, idempotencyKey: "order-2" });
    await call("POST", "/v1/schedules", { ...body, ...key }, { "Idempotency-Key": "order-2" });
    await call("POST", "/v1/schedules/bulk", { schedules: [body] }, { "Idempotency-Key": "order-2" });
    await call("POST", "/v1/schedules", { targetUrl: "http://", fireAt: "2001-01-01T00:00:00Z", ...key });
    for (const repeat of [{}, { payload: "b" }, {}, { fireAt: FUTURE }]) {
      const path = `/v1/schedules/${id}/${"payload" in repeat ? "clone" : "replay"}`;
      await call("POST", path, { idempotencyKey: "again", fireAt: "2033-01-01T00:00:00Z", ...repeat });
    }
    await fire(id);
    await create({ ...key, payload: "a" });
    await call("POST", `/v1/schedules/${id}/replay`);
    await side.settle(
      async () => (await side.call("GET", "/v1/schedules?limit=1")).body.items[0].status === "succeeded",
    );
    await call("GET", "/v1/usage");
  });
});

it("the fake answers as the service does: times as durations and as local times", async () => {
  await compare(async ({ call, create }) => {
    const gap = { fireAt: undefined, fireAtLocal: "2031-03-30T02:30", timezone: "Europe/Berlin" };
    const repeat = { ...gap, fireAtLocal: "2031-10-26T02:30" };
    const id = await create(gap);
    for (const onClockChange of ["first", "second", "refuse"]) {
      await create({ ...gap, onClockChange });
      await create({ ...repeat, onClockChange });
      await call("PATCH", `/v1/schedules/${id}`, { ...repeat, onClockChange });
    }
    const local = (fireAtLocal: string, timezone: string) => ({ ...gap, fireAtLocal, timezone });
    for (const time of [
      ...[local("2031-04-06T01:45", "Australia/Lord_Howe"), local("2031-07-01T12:00:00.5", "europe/dublin")],
      ...[local("2001-01-01T00:00", "UTC"), local("9999-12-31T23:59", "America/New_York")],
      ...[local("2031-01-01T09:00", "CEST"), local("2031-01-01T09:00", "+01:00"), local("2031-02-30T09:00", "UTC")],
      ...[{ fireIn: "90s" }, { fireAt: undefined, fireIn: "999w" }, { fireAt: undefined, fireIn: "0.5s" }],
      ...[
        { fireAt: undefined, timezone: "UTC" },
        { ...gap, timezone: undefined },
      ],
    ]) {
      await create(time);
      await call("POST", `/v1/schedules/${id}/replay`, { fireAt: FUTURE, ...time });
    }
    await create({ fireAt: undefined });
    for (const idempotencyKey of ["in", "in", "local", "local"]) {
      const time = idempotencyKey === "in" ? { fireAt: undefined, fireIn: "P1D" } : gap;
      await create({ idempotencyKey, ...time });
      await call("POST", `/v1/schedules/${id}/clone`, {
        payload: "",
        idempotencyKey: `clone-${idempotencyKey}`,
        ...time,
      });
    }
    await create({ idempotencyKey: "in", fireAt: undefined, fireIn: "24h" });
    await create({ idempotencyKey: "in", fireAt: undefined, fireIn: "25h" });
    await create({ idempotencyKey: "local", ...gap, onClockChange: "first" });
    await create({ idempotencyKey: "local", ...gap, onClockChange: "second" });
    for (const idempotencyKey of ["local", "new"]) {
      for (const time of [gap, repeat, local("9999-12-31T23:59", "America/New_York")]) {
        await create({ idempotencyKey, ...time, onClockChange: "refuse" });
        const body = { idempotencyKey: `clone-${idempotencyKey}`, ...time, onClockChange: "refuse" };
        await call("POST", `/v1/schedules/${id}/clone`, { payload: "", ...body });
      }
    }
    const unknown = "sch_01kbm5qk4f8rz3c2x7w9v6n1ta";
    await call("PATCH", `/v1/schedules/${unknown}`, { ...gap, fireAt: undefined, onClockChange: "refuse" });
    const item = { targetUrl: sides.target };
    const times = [{ fireIn: "1h" }, { fireAtLocal: gap.fireAtLocal, timezone: gap.timezone }, {}];
    await call("POST", "/v1/schedules/bulk", { schedules: times.map((time) => ({ ...item, ...time })) });
  });
});

it("the fake answers as the service does: batches of valid and invalid items", async () => {
  await compare(async ({ call, create }) => {
    await create({ idempotencyKey: "bulk-1" });
    const item = { targetUrl: sides.target, fireAt: FUTURE };
    const schedules = [
      item,
      { ...item, idempotencyKey: "bulk-1" },
      { ...item, idempotencyKey: "bulk-1", payload: "other" },
      { ...item, idempotencyKey: "bulk-2" },
      { ...item, idempotencyKey: "bulk-2" },
      { ...item, fireAt: "2001-01-01T00:00:00Z" },
      { ...item, targetUrl: "https://10.0.0.1/" },
      { ...item, payload: "x".repeat(51_201) },
      { ...item, idempotencyKey: "bulk-3", headers: { Host: "a" } },
      { ...item, idempotencyKey: "bulk-3" },
      null,
    ];
    await call("POST", "/v1/schedules/bulk", { schedules });
    await call("POST", "/v1/schedules/bulk", { schedules: Array(101).fill(item) });
    await call("POST", "/v1/schedules/bulk", { schedules: [] });
    await call("GET", "/v1/usage");
  });
});

it("the fake answers as the service does: pages, cursors, filters and orders of lists", async () => {
  await compare(async ({ call, create }) => {
    const tag = `${sides.target}/listed`;
    for (const minute of ["03", "01", "05", "02", "04", "01"])
      await create({ targetUrl: `${tag}?m=${minute}`, fireAt: `2034-01-01T00:${minute}:00Z` });
    for (const sort of ["-created_at", "fire_at", "-fire_at"]) {
      let after = "";
      for (let page = 1; page <= 4; page++) {
        const query = `limit=2&q=LISTED&sort=${sort}${after}`;
        const { body } = await call("GET", `/v1/schedules?${query}`);
        if (body.next_cursor === null) break;
        after = `&after=${body.next_cursor}`;
        if (page > 1) continue;
        for (const wrong of ["", "&q=other", "&q=LISTED&sort=fire_at&offset=2", "&q=LISTED&status=dead"])
          await call("GET", `/v1/schedules?limit=2${after}${wrong}`);
        await call("GET", `/v1/logs?q=LISTED${after}`);
      }
    }
    const range = "from=2034-01-01T00:02:00Z&to=2034-01-01T00:04:00Z";
    for (const query of [
      range,
      "q=listed&offset=4",
      "q=listed&limit=1000",
      "q=m%3D05",
      "q=ZZ",
      "status=dead,cancelled",
    ])
      await call("GET", `/v1/schedules?${query}`);
    for (const query of [
      "status=canceled",
      "limit=0",
      "limit=1&limit=2",
      "offset=10001",
      "from=yesterday",
      "colour=red",
    ])
      await call("GET", `/v1/schedules?${query}`);
    for (const env of ["live", "test", "prod"]) await call("GET", `/v1/schedules?q=listed&limit=1&env=${env}`);
  });
});

it("the fake answers as the service does: moves and cancels, in every status that allows them or does not", async () => {
  await compare(async ({ call, create, fire }) => {
    const id = await create();
    for (const body of [
      { fireAt: "2035-01-01T00:00:00+01:00" },
      { earlyFire: true },
      { fireAt: "2001-01-01T00:00:00Z" },
      {},
    ])
      await call("PATCH", `/v1/schedules/${id}`, body);
    await fire(id, { status: 500 });
    for (const body of [{ fireAt: FUTURE }, { fireAt: "2001-01-01T00:00:00Z" }, { earlyFire: false }])
      await call("PATCH", `/v1/schedules/${id}`, body);
    for (const method of ["DELETE", "DELETE", "GET"] as const) await call(method, `/v1/schedules/${id}`);
    await call("POST", `/v1/schedules/${id}/fire`);
    await call("PATCH", `/v1/schedules/${id}`, { fireAt: FUTURE });
    for (const unknown of [UNKNOWN, "sch_1", "op_7zzzzzzzzzzzzzzzzzzzzzzzzz"]) {
      await call("GET", `/v1/schedules/${unknown}`);
      await call("GET", `/v1/schedules/${unknown}/attempts`);
      await call("PATCH", `/v1/schedules/${unknown}`, { fireAt: "2001-01-01T00:00:00Z" });
      await call("DELETE", `/v1/schedules/${unknown}`);
      for (const what of ["fire", "replay"]) await call("POST", `/v1/schedules/${unknown}/${what}`);
      await call("POST", `/v1/schedules/${unknown}/clone`, { payload: "" });
    }
  });
});

it("the fake answers as the service does: recurrences that are put, read, paused, resumed and deleted", async () => {
  await compare(async ({ call, fire }) => {
    const at = (key: string) => `/v1/recurrences/${encodeURIComponent(key)}`;
    // Years from now: the instants are compared.
    const yearly = { cron: "30 2 29 2 *", timezone: "europe/berlin", targetUrl: sides.target };
    await call("PUT", `${at("k")}?dryRun=true`, yearly);
    await call("GET", at("k"));
    for (const more of [
      {},
      {},
      { name: "named" },
      { payload: "a", headers: { "X-A": "1" }, method: "PUT", overlap: "skip" },
    ])
      await call("PUT", at("k"), { ...yearly, ...more });
    const delivery = { timeoutMs: 50_000, retryDelaysMs: [1_000], expiresIn: "1h" };
    await call("PUT", `${at("k")}?dryRun=true`, { ...yearly, delivery, endsAt: "2060-01-01T00:00:00Z" });
    await call("PUT", at("k"), { ...yearly, delivery, catchUp: "none", earlyFire: true });
    await call("GET", at("k"));
    const { body } = await call("GET", "/v1/schedules?recurrence=k&limit=1");
    await fire(body.items[0].id, { status: 500 });
    await call("GET", "/v1/usage");
    await call("POST", `${at("k")}/pause`, { note: "why", until: "2035-01-01T00:00:00Z" });
    await call("GET", "/v1/usage");
    for (const wrong of [{ until: "2001-01-01T00:00:00Z" }, { note: "" }, { until: "soon" }, { other: 1 }])
      await call("POST", `${at("k")}/pause`, wrong);
    await call("PUT", at("k"), { ...yearly, cron: "0 0 1 1 *" });
    await call("POST", `${at("k")}/pause`);
    for (const query of ["", "?status=paused", "?status=active", "?status=none", "?limit=0"])
      await call("GET", `/v1/recurrences${query}`);
    for (let n = 0; n < 2; n++) await call("POST", `${at("k")}/resume`);
    for (const wrong of [
      ...["", "* * * * * *", "0 0 31 2 *", "0/5 * * * *", "0 9 * * 1-5 /bin/job", "@every 5m", "TZ=UTC 0 9 * * *"].map(
        (cron) => ({ cron }),
      ),
      ...[{ timezone: "Europe/Berln" }, { endsAt: "2001-01-01T00:00:00Z" }, { overlap: "queue" }, { spreadMs: -1 }],
      ...[{ delivery: { expiresAt: "2060-01-01T00:00:00Z" } }, { delivery: { retryDelaysMs: Array(30).fill(1_000) } }],
      ...[{ targetUrl: "https://10.0.0.1/" }, { fireAt: FUTURE }, { name: "" }, { payload: "x".repeat(60_000) }],
    ])
      await call("PUT", at("wrong"), { ...yearly, ...wrong });
    await call("PUT", at("x".repeat(256)), yearly);
    for (let n = 0; n < 10; n++) await call("PUT", at(`é/${n}`), yearly);
    const { body: page } = await call("GET", "/v1/recurrences?limit=4");
    for (const query of ["", "&status=active"])
      await call("GET", `/v1/recurrences?limit=4&after=${page.next_cursor}${query}`);
    for (const key of ["k", "none", ...Array.from({ length: 9 }, (_, n) => `é/${n}`)]) await call("DELETE", at(key));
    for (const action of ["pause", "resume"]) await call("POST", `${at("k")}/${action}`);
    await call("GET", "/v1/schedules?status=cancelled&limit=3");
    await call("GET", "/v1/schedules?recurrence=k");
  });
});

it("the fake answers as the service does: operations on many schedules", async () => {
  await compare(async ({ side, call, create, fire }) => {
    const tag = `${sides.target}/operated`;
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push(await create({ targetUrl: `${tag}/${n}`, payload: "p" }));
    await fire(ids[0] as string);
    await fire(ids[1] as string, { status: 500 });
    const operate = async (body: object) => {
      const started = await call("POST", "/v1/operations", body);
      if (started.status !== 202) return;
      const path = `/v1/operations/${started.body.id}`;
      await side.settle(async () => (await side.call("GET", path)).body.status !== "running");
      // The copies of a replay fire now.
      await side.settle(async () => {
        const { items } = (await side.call("GET", "/v1/schedules?q=operated")).body;
        return items.every((one: Schedule) => one.replay_of === null || one.status === "succeeded");
      });
      await call("GET", path);
      await call("POST", `${path}/stop`);
    };
    await operate({ action: "replay", filter: { q: "operated/0" }, idempotencyKey: "replay-1" });
    await operate({ action: "replay", filter: { q: "operated/0" }, idempotencyKey: "replay-1" });
    await operate({ action: "replay", filter: { q: "operated/1" }, idempotencyKey: "replay-1" });
    await operate({ action: "cancel", filter: { q: "operated", status: ["scheduled", "failed"] } });
    await operate({ action: "cancel", schedules: [...ids, ids[0], UNKNOWN] });
    await operate({ action: "cancel", filter: { q: "nothing has this" } });
    await operate({ action: "cancel", schedules: [UNKNOWN] });
    await operate({ action: "cancel" });
    await call("GET", "/v1/schedules?q=operated&sort=fire_at");
    await call("GET", "/v1/operations?limit=2");
    await call("GET", "/v1/operations/op_7zzzzzzzzzzzzzzzzzzzzzzzzz");
    await call("POST", "/v1/operations/op_7zzzzzzzzzzzzzzzzzzzzzzzzz/stop");
  });
});

it("the fake sends what the service sends, with valid signatures, also after a rotation", async () => {
  const deliver = async ({ side, call, create, fire }: Tools) => {
    side.delivered.length = 0;
    const former = await side.secrets();
    await fire(
      await create({ targetUrl: `${sides.target}?a=b`, payload: '"é\\n"', headers: { "X-A": " b ", accept: "*/*" } }),
    );
    await fire(await create({ method: "PUT", headers: { "User-Agent": "mine" } }));
    await fire(await create({ method: "DELETE", payload: "{}" }));
    const before = side.delivered.splice(0);
    for (const key of ["rotation-1", "rotation-1", ""]) {
      await call("POST", "/v1/signing-secrets/rotate", undefined, { "Idempotency-Key": key });
    }
    await fire(await create({ payload: '"rotated"' }));
    return { former, before, after: side.delivered.splice(0), current: (await side.secrets())[0] as string };
  };
  const { real, fake } = await compare(deliver);
  const shown = ({ before, after }: typeof real) =>
    [...before, ...after].map(({ headers, ...rest }) => {
      const { "webhook-id": id, ...others } = headers;
      const values = Object.entries(others).filter(([name]) => !/signature|timestamp|fire-at|schedule-id/.test(name));
      expect(headers["x-service-schedule-id"]).toBe(id);
      expect(headers["x-service-fire-at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const agent = headers["user-agent"]?.replace(/^Stopwatch\/.*/, "Stopwatch");
      return {
        ...rest,
        names: Object.keys(headers).sort(),
        values: { ...Object.fromEntries(values), "user-agent": agent },
      };
    });
  expect(shown(fake)).toEqual(shown(real));
  for (const { former, before, after, current } of [real, fake]) {
    const check = async (one: (typeof before)[number], secret: string) => {
      await verifySignature(one, { secrets: [secret] });
      if (one.body)
        await verifyStripeStyle({ header: one.headers["x-service-signature"], body: one.body }, { secrets: [secret] });
      if (one.body) new Webhook(secret).verify(one.body, one.headers);
    };
    for (const one of before) await check(one, former[0] as string);
    for (const secret of [former[0] as string, current]) await check(after[0] as (typeof after)[number], secret);
    expect(current).toBe(former[1]);
  }
});

it("the fake answers as the service does: usage, overview and profile", async () => {
  const nowMs = Date.now();
  const at = (daysAgo: number) => new Date(nowMs - daysAgo * 86_400_000).toISOString();
  await compare(async ({ side, call, create }) => {
    const id = await create({ fireAt: undefined, fireIn: "1s" });
    await side.settle(async () => (await side.call("GET", `/v1/schedules/${id}`)).body.status === "succeeded");
    await call("GET", `/v1/schedules/${id}`);
    for (const period of ["24h", "7d", "30d", "1y"]) await call("GET", `/v1/overview?period=${period}`);
    for (const [from, to] of [
      [at(1), at(-1)],
      [at(5.3), at(0)],
      [at(3), at(2.9)],
      [at(0), at(1)],
      [at(40), at(35)],
      [at(-1)],
    ])
      await call("GET", `/v1/overview?from=${from}${to ? `&to=${to}` : ""}`);
    for (const query of [
      `to=${at(1)}`,
      `to=${at(40)}`,
      `period=7d&from=${at(2)}`,
      `period=7d&to=${at(2)}&env=test`,
      "from=yesterday",
    ])
      await call("GET", `/v1/overview?${query}`);
    for (const path of ["usage", "me", "signing-secrets", "me/relay-settings", "api-keys", "nothing"])
      await call("GET", `/v1/${path}`);
    for (const method of ["OPTIONS", "HEAD", "PUT"] as const)
      for (const path of ["schedules", "usage", "me/relay-settings"]) await call(method, `/v1/${path}`);
    const { body } = await call("GET", "/v1/me");
    expect(body.authSource).toBe("apiKey");
  });
});
