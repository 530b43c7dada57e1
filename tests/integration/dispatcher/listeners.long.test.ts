// Guards: dispatcher/listening/**, dispatcher/connections/listener-connection.ts, dispatcher/connections/opener.ts, dispatcher/connections/routes.ts, dispatcher/openers.ts, db/queries/listen/**, db/functions/listen*.sql, dispatcher/sending/**, domain/listen*.ts
// Final: its verdict is about what was sent, and to whom.

import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import type { ExchangeAnswer } from "#domain/listen-exchange.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type Heard, OK, startListener, type TestListener } from "../../helpers/listener.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const HOOK = "https://listen.invalid/hooks/a?b=c";

let receiver: Receiver;
let harness: DispatchHarness;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;
const listeners: TestListener[] = [];

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: `http://localhost:${receiver.port}` });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.requests.length = 0;
  account = await harness.account();
});
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

async function listen(
  ...[respond, wanted]: [Parameters<typeof startListener>[1]?, Parameters<typeof startListener>[2]?]
) {
  const of = { databaseUrl: harness.databaseUrl, keyRing: harness.config.keyRing, accountId: account.id };
  const listener = await startListener(of, respond, wanted);
  listeners.push(listener);
  return listener;
}

const schedule = (
  target = HOOK,
  overrides: Parameters<DispatchHarness["schedule"]>[3] = {},
  fireAt: Date | null = null,
) => harness.schedule(account, target, fireAt, { env: "test", ...overrides });
const toStatus = (id: string, status: string, deadlineMs?: number) =>
  waitFor(`${id} becomes ${status}`, async () => (await harness.read(id)).status === status, deadlineMs);
const attemptOf = async (id: string, n = 1) => {
  await waitFor(`attempt ${n} of ${id}`, async () => (await harness.attempts(id)).length >= n, 20_000);
  return (await harness.attempts(id))[n - 1];
};
const exchanges = () => harness.sql`SELECT * FROM listen_exchanges WHERE account_id = ${account.id}`;

describe("a delivery through a listener", () => {
  it("is recorded as an attempt of a listener, with the time at which it was written and without a connect time", async () => {
    const listener = await listen();
    const before = Date.now();
    const id = await schedule();
    await toStatus(id, "succeeded");
    const attempt = await attemptOf(id);
    expect(attempt).toMatchObject({
      via: "listener",
      outcome: "delivered",
      status_code: 200,
      error_text: "",
      connect_ms: null,
    });
    expect(attempt?.attempted_at.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(attempt?.first_byte_ms).toBeGreaterThan(0);
    expect(listener.heard).toMatchObject([{ attempt: 1, scheduleId: id }]);
    expect(listener.results).toEqual(["answered"]);
    await waitFor("nothing of it is left", async () =>
      (await exchanges()).every(({ request, answer }) => !request && !answer),
    );
    expect((await harness.read(id)).fired_at).toEqual(attempt?.attempted_at);
  });

  it("fires at its instant", async () => {
    const listener = await listen();
    const stalled = countStalls();
    const at = inMs(1_500);
    const id = await schedule(HOOK, {}, at);
    await toStatus(id, "succeeded");
    const stalledMs = stalled();
    const lateMs = ((await harness.read(id)).fired_at as Date).getTime() - at.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expectOnTime(lateMs, 1_000, stalledMs);
    expect(listener.heard).toHaveLength(1);
  });

  it.each([0, 1, 1_024, 65_536, 262_144])(
    "has what a socket would get, with %i bytes: method, path, headers in their order and case, body, both signatures",
    async (size) => {
      const listener = await listen();
      const payload = size === 0 ? null : "é".repeat(size >> 1) + "x".repeat(size & 1);
      const headers: [string, string][] = [
        ["X-Zebra", "1"],
        ["content-TYPE", "text/x"],
        ["Accept", "*/*"],
        ["x-a", ""],
      ];
      const overrides = { payload, headers, method: "PUT" };
      const [listened, direct] = [
        await schedule(HOOK, overrides),
        await schedule(`http://localhost:${receiver.port}/hooks/a?b=c`, overrides),
      ];
      await toStatus(listened, "succeeded");
      await toStatus(direct, "succeeded");
      const [heard] = listener.heard as [Heard];
      const [got] = receiver.requests as [ReceivedRequest];
      expect(heard.sent).toMatchObject({ method: got.method, path: got.path });
      expect(heard.sent.body.equals(got.body)).toBe(true);
      expect(heard.sent.body.length).toBe(size);
      const onSocket = pairsOf(got.rawHeaders).filter(([name]) => name !== "connection");
      const named = (pairs: readonly (readonly string[])[]) => pairs.map(([name]) => name);
      expect(named(heard.sent.headers)).toEqual(named(onSocket));
      const ofAttempt = /^host$|signature|webhook|schedule-id|fire-at/i;
      const fixed = (pairs: readonly (readonly string[])[]) => pairs.filter(([name = ""]) => !ofAttempt.test(name));
      expect(fixed(heard.sent.headers)).toEqual(fixed(onSocket));
      expect(heard.sent.headers[0]).toEqual(["host", "listen.invalid"]);
      expectBothSignatures(heard, listened);
    },
  );

  it.each<[string, ExchangeAnswer, object]>([
    ["302", { ...OK, status: 302 }, { outcome: "rejected", status_code: 302 }],
    [
      "410",
      { ...OK, status: 410, body: "gone for good" },
      { outcome: "rejected", status_code: 410, error_text: "gone for good" },
    ],
    ["500", { ...OK, status: 500, body: "é no" }, { outcome: "rejected", status_code: 500, error_text: "é no" }],
    [
      "a refused connection",
      { error: "ECONNREFUSED" },
      {
        outcome: "unreachable",
        status_code: null,
        error_text: "unreachable: the local server did not answer (ECONNREFUSED)",
      },
    ],
    [
      "an error in its own words",
      { error: "localhost refused" },
      {
        outcome: "unreachable",
        status_code: null,
        error_text: "unreachable: the local server did not answer: localhost refused",
      },
    ],
  ])("fails as at a socket when the local server answers %s", async (_name, answer, expected) => {
    await listen(() => answer);
    const id = await schedule();
    expect(await attemptOf(id)).toMatchObject({ ...expected, via: "listener" });
  });

  it("waits as Retry-After says", async () => {
    await listen(({ attempt }) => (attempt === 1 ? { ...OK, status: 429, retryAfter: "2" } : OK));
    const id = await schedule();
    await toStatus(id, "succeeded");
    const [first, second] = [await attemptOf(id), await attemptOf(id, 2)];
    expect(second?.attempted_at - first?.attempted_at).toBeGreaterThanOrEqual(2_000);
  });

  it.each<[string, ExchangeAnswer]>([
    ["an answer", { ...OK, status: 500, body: 'cannot read {"secret":"canary-4711"} there' }],
    ["an error", { error: 'cannot read {"secret":"canary-4711"} there' }],
  ])("has an error text without what %s repeats of the payload", async (_what, answer) => {
    await listen(() => answer);
    const text = (await attemptOf(await schedule(HOOK, { payload: '{"secret":"canary-4711"}' })))?.error_text;
    expect(text).toMatch(/cannot read .* there$/);
    expect(text).not.toContain("canary");
  });
});

describe("without a listener", () => {
  it("an attempt fails with its reason and is tried again as any other", async () => {
    const id = await schedule();
    expect(await attemptOf(id)).toMatchObject({
      via: "listener",
      outcome: "unreachable",
      status_code: null,
      error_text: "unreachable: no listener is connected",
    });
    const listener = await listen();
    await toStatus(id, "succeeded", 20_000);
    expect(listener.heard).toMatchObject([{ attempt: (await harness.read(id)).attempts }]);
  });

  it("a listener of another path, or of another account, is none", async () => {
    const [other, own] = [await harness.account(), account];
    account = other;
    const stranger = await listen();
    account = own;
    const elsewhere = await listen(undefined, { paths: ["/other"] });
    const id = await schedule();
    expect((await attemptOf(id))?.error_text).toBe("unreachable: no listener is connected");
    expect([...stranger.heard, ...elsewhere.heard]).toEqual([]);
  });

  it("a live schedule to the reserved target is refused, whatever listens", async () => {
    const listener = await listen();
    const id = await schedule(HOOK, { env: "live" });
    expect(await attemptOf(id)).toMatchObject({ via: null, outcome: "blocked" });
    expect(listener.heard).toEqual([]);
  });
});

describe("a listener that leaves", () => {
  it("before it answers fails the attempt, which is tried again with another listener", async () => {
    const first = await listen(() => undefined);
    const id = await schedule();
    await waitFor("it has the request", () => first.heard.length === 1);
    await first.leave();
    expect(await attemptOf(id)).toMatchObject({
      via: "listener",
      outcome: "unreachable",
      status_code: null,
      error_text: "unreachable: the listener left before it answered",
    });
    expect(await first.answer(first.heard[0]?.id ?? "", OK)).toBe("over");
    const second = await listen();
    await toStatus(id, "succeeded", 20_000);
    expect(second.heard).toMatchObject([{ attempt: (await harness.read(id)).attempts }]);
    expect(second.heard[0]?.id).not.toBe(first.heard[0]?.id);
  });
});

it("an exchange that the server lost in a crash fails, and is tried again", async () => {
  const listener = await listen(({ attempt }) => (attempt === 1 ? undefined : OK));
  const id = await schedule();
  await waitFor("it has the request", () => listener.heard.length === 1);
  await harness.sql`DELETE FROM listen_exchanges WHERE account_id = ${account.id}`;
  expect(await attemptOf(id)).toMatchObject({
    error_text: "unreachable: the listener left before it answered",
    via: "listener",
  });
  await toStatus(id, "succeeded", 20_000);
});

describe("a listener of scope all", () => {
  const direct = () => `http://localhost:${receiver.port}/orders/new`;
  const probe = () => `http://localhost:${receiver.port}/orders/probe`;
  /** What the listener heard, and what came to the target, without probes. */
  const taken = ({ heard }: TestListener) => heard.filter(({ targetUrl }) => targetUrl !== probe());
  const arrived = () => receiver.requests.map(({ path }) => path).filter((path) => path !== "/orders/probe");
  /** Sends probes until one goes by a listener, or to its target (null). A dispatcher knows that within 1.5 s. */
  const untilProbesGo = async (via: "listener" | null) => {
    const ran = countRunTime();
    await waitFor(`probes go by ${via}`, async () => (await attemptOf(await schedule(probe())))?.via === via);
    expect(ran()).toBeLessThan(1_500);
  };

  it("takes the test deliveries of its account while it is there, and no live ones", async () => {
    const listener = await listen(undefined, { scope: "all" });
    await untilProbesGo("listener");
    const [test, live] = [await schedule(direct()), await schedule(direct(), { env: "live" })];
    await toStatus(test, "succeeded");
    await toStatus(live, "succeeded");
    expect(taken(listener)).toMatchObject([{ scheduleId: test, targetUrl: direct() }]);
    expect(taken(listener)[0]?.sent.headers[0]).toEqual(["host", `localhost:${receiver.port}`]);
    expect(arrived()).toEqual(["/orders/new"]);
    expect(await attemptOf(live)).toMatchObject({ via: null });
    await listener.leave();
    await untilProbesGo(null);
    const later = await schedule(direct());
    await toStatus(later, "succeeded");
    expect(await attemptOf(later)).toMatchObject({ via: null });
    expect(arrived()).toEqual(["/orders/new", "/orders/new"]);
  });

  it("takes the paths that it names, and others go to their targets", async () => {
    const listener = await listen(undefined, { scope: "all", paths: ["/orders/"] });
    await untilProbesGo("listener");
    const [named, other] = [await schedule(direct()), await schedule(`http://localhost:${receiver.port}/else`)];
    await toStatus(named, "succeeded");
    await toStatus(other, "succeeded");
    expect(taken(listener).map(({ scheduleId }) => scheduleId)).toEqual([named]);
    expect(arrived()).toEqual(["/else"]);
  });
});

it("a schedule that is cancelled in time is not handed to a listener", async () => {
  const listener = await listen();
  const at = inMs(1_200);
  const [cancelled, kept] = [await schedule(HOOK, {}, at), await schedule(HOOK, {}, at)];
  const done = await harness.sql`
    UPDATE schedules SET status = 'cancelled', version = version + 1, next_attempt_at = NULL, ended_at = now()
    WHERE id = ${cancelled} AND status = 'scheduled'`;
  expect(done.count).toBe(1);
  await toStatus(kept, "succeeded");
  expect(listener.heard.map(({ scheduleId }) => scheduleId)).toEqual([kept]);
});

const pairsOf = (raw: readonly string[]) =>
  Array.from({ length: raw.length / 2 }, (_, at) => [String(raw[2 * at]), String(raw[2 * at + 1])] as const);

function expectBothSignatures({ sent }: Heard, scheduleId: string) {
  const secret = account.secrets.test;
  const headers = Object.fromEntries(sent.headers.map(([name, value]) => [name.toLowerCase(), value]));
  expect(headers["x-service-schedule-id"]).toBe(encodeId("sch", scheduleId));
  const [, timestamp, signature] = /^t=(\d+),v1=([0-9a-f]{64})/.exec(headers["x-service-signature"] ?? "") ?? [];
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(sent.body).digest("hex");
  expect(signature).toBe(expected);
  const signedAt = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  const signed = new Webhook(secret).sign(encodeId("sch", scheduleId), signedAt, sent.body.toString());
  expect(headers["webhook-signature"]).toBe(signed);
}
