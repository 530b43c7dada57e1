// Guards: db/functions/**, db/queries/schedules/put.ts, db/queries/schedules/claim.ts, server/schedules/put.ts, dispatcher/claiming/**
// Final: its verdict is about what was sent, and how often.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, startApi, type TestCaller } from "../api/api.ts";

const KEYS = 8;
const PUTS = 150;

let receiver: Receiver;
let api: Api;
let harness: DispatchHarness;
let caller: TestCaller;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  const settings = {
    DELIVERY_ALLOW: receiver.origin,
    PLANS: '{"free":{"monthlyQuota":100000,"requestsPerMinute":1000000}}',
  };
  api = await startApi(settings);
  harness = await createDispatchHarness(settings, api.database);
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await api.stop();
  await receiver.close();
});
beforeEach(async () => {
  caller = await api.account();
  receiver.requests.length = 0;
});

type Put = { payload: string; status: number; id: string; answeredAtMs: number };

/** Puts a schedule that is due within half a second, mostly in the moments in which it is claimed. */
async function put(key: string, n: number): Promise<Put> {
  const payload = `${key} ${n}`;
  const fireAt = new Date(Date.now() + 20 + Math.random() * 400).toISOString();
  const body = { targetUrl: `${receiver.origin}/${key}`, fireAt, payload };
  const answer = await api.call("PUT", `/v1/schedules/by-key/${key}`, caller.live, body);
  return { payload, status: answer.status, id: answer.body.id, answeredAtMs: performance.now() };
}

const keys = Array.from({ length: KEYS }, (_, n) => `key-${n}`);
const isPast = ({ status }: Put) => status === 400;
const received = (payload: string) => receiver.requests.filter(({ body }) => body.toString() === payload).length;

async function untilAllHaveEnded() {
  await waitFor("every schedule has ended", async () => {
    const [row] = await api.sql`SELECT count(*)::int AS n FROM schedules
      WHERE account_id = ${caller.accountId} AND status IN ('scheduled', 'firing', 'failed')`;
    return row?.n === 0;
  });
}

describe("thousands of PUTs of a key while it is claimed and sent", () => {
  it("send each request that none has replaced once, and none that one has", async () => {
    const puts = await Promise.all(
      keys.map(async (key) => {
        const done: Put[] = [];
        for (let n = 0; n < PUTS; n++) {
          done.push(await put(key, n));
          await pause(Math.random() * 250);
        }
        return done;
      }),
    );
    await untilAllHaveEnded();
    const replaced = new Set<string>();
    const kept = new Set<string>();
    for (const done of puts) {
      const stored = done.filter(({ status }) => status === 200 || status === 201);
      expect(done.filter((one) => !stored.includes(one) && one.status !== 409 && !isPast(one))).toEqual([]);
      for (const [n, { payload }] of stored.entries()) {
        const isReplaced = stored[n + 1]?.status === 200;
        (isReplaced ? replaced : kept).add(payload);
      }
    }
    expect([...replaced].filter((payload) => received(payload) > 0)).toEqual([]);
    expect([...kept].filter((payload) => received(payload) !== 1)).toEqual([]);
    // Both happened, and often.
    expect(Math.min(replaced.size, kept.size)).toBeGreaterThan(50);
  });

  it("by several callers at once make one schedule for each 201, which is sent once", async () => {
    const puts = await Promise.all(
      keys.flatMap((key) =>
        Array.from({ length: 4 }, async (_, caller) => {
          const done: Put[] = [];
          for (let n = 0; n < PUTS / 4; n++) {
            done.push(await put(key, caller * PUTS + n));
            await pause(Math.random() * 250);
          }
          return done;
        }),
      ),
    );
    await untilAllHaveEnded();
    const all = puts.flat();
    const ids = new Set(all.filter(({ status }) => status === 201).map(({ id }) => id));
    const requests = receiver.requests.map(({ headers, body }) => ({
      id: headers["webhook-id"],
      payload: body.toString(),
    }));
    expect(new Set(requests.map(({ id }) => id))).toEqual(ids);
    expect(requests).toHaveLength(ids.size);
    const stored = new Set(all.filter(({ status }) => status < 300).map(({ payload }) => payload));
    expect(requests.filter(({ payload }) => !stored.has(payload))).toEqual([]);
    const held = await api.sql`SELECT idempotency_key FROM schedule_requests
      WHERE account_id = ${caller.accountId} AND idempotency_key IS NOT NULL`;
    expect(held).toHaveLength(KEYS);
  });
});
