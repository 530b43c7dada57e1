// Guards: server/recurrences/**, db/queries/recurrences/**, dispatcher/recurrences/**, db/functions/take_back_occurrences.sql, db/functions/create_schedules.sql
// Final: its verdict is about what was sent, and how often.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, startApi, type TestCaller } from "../api/api.ts";
import { createdBy } from "../api/stored-content.ts";

const KEYS = 8;
const CHANGES = 60;

let receiver: Receiver;
let api: Api;
let harness: DispatchHarness;
let caller: TestCaller;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  const limits = '{"monthlyQuota":100000,"requestsPerMinute":1000000,"recurrencesMax":100}';
  const settings = { DELIVERY_ALLOW: receiver.origin, PLANS: `{"free":${limits}}` };
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

/** Puts a recurrence, again after a 503: forty at once wait for each other for longer than the time of a call, where that is slow. */
async function put(key: string, payload: string) {
  const body = { cron: "* * * * *", targetUrl: `${receiver.origin}/${key}`, payload };
  for (;;) {
    const answer = await api.call("PUT", `/v1/recurrences/${key}`, caller.live, body);
    if (answer.status !== 503) return answer;
  }
}

const received = (payload: string) => receiver.requests.filter(({ body }) => body.toString() === payload).length;

/** Moves an occurrence of a key to a moment within half a second: the next change comes about when it is claimed. */
async function moveOne(key: string): Promise<void> {
  const [row] = await api.sql`
    SELECT s.id FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.account_id = ${caller.accountId} AND r.recurrence_id = (
        SELECT id FROM recurrences WHERE account_id = ${caller.accountId} AND key = ${key})
      AND s.status = 'scheduled' AND s.fire_at > now() + interval '2 s' ORDER BY r.occurrence_at LIMIT 1`;
  if (!row) return;
  const fireAt = new Date(Date.now() + 30 + Math.random() * 400).toISOString();
  await api.call("PATCH", `/v1/schedules/${encodeId("sch", row.id)}`, caller.live, { fireAt });
}

/** Has the dispatcher take a step of every recurrence of the caller. */
const stepSoon = () => api.sql`
  UPDATE recurrences SET next_step_at = now() WHERE account_id = ${caller.accountId} AND status = 'active'`;

/** Instants of which more than one occurrence was sent or is still to be sent. */
const repeated = () => api.sql`
  SELECT r.recurrence_id, r.occurrence_at FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
  WHERE r.account_id = ${caller.accountId} AND r.recurrence_id IS NOT NULL AND s.status <> 'cancelled'
  GROUP BY 1, 2 HAVING count(*) > 1`;

describe("changes of recurrences while their occurrences are made, claimed and sent", () => {
  it("are final: nothing of before begins after the answer but what it counts as in flight, and no instant comes twice", async () => {
    const late: string[] = [];
    const sent: string[] = [];
    await Promise.all(
      Array.from({ length: KEYS }, async (_, n) => {
        const key = `key-${n}`;
        for (let change = 0; change < CHANGES; change++) {
          const payload = `${key} ${change}`;
          const stored = await put(key, payload);
          expect([200, 201]).toContain(stored.status);
          await moveOne(key);
          if (Math.random() < 0.5) await stepSoon();
          await pause(Math.random() * 450);
          const ends = [
            () => put(key, `${payload} replaced`),
            () => api.call("POST", `/v1/recurrences/${key}/pause`, caller.live),
            () => api.call("DELETE", `/v1/recurrences/${key}`, caller.live),
          ];
          const { body } = await (ends[change % ends.length] as (typeof ends)[number])();
          const before = received(payload);
          if (change % ends.length === 1) await api.call("POST", `/v1/recurrences/${key}/resume`, caller.live);
          await pause(Math.random() * 100);
          if (change % ends.length !== 1) {
            const after = received(payload) - before;
            if (after > body.in_flight) late.push(`${payload}: ${after} after, ${body.in_flight} in flight`);
          }
          if (before > 0) sent.push(payload);
        }
      }),
    );
    expect(late).toEqual([]);
    expect(await repeated()).toEqual([]);
    const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(ids.length);
    // Many were sent before the change, and many were not.
    expect(sent.length).toBeGreaterThan(50);
    expect(sent.length).toBeLessThan(KEYS * CHANGES - 50);
  }, 240_000);

  it("of one key, many at once, leave one recurrence, with the occurrences of the request that is stored alone", async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        ...Array.from({ length: 40 }, (_, n) => put("one", `${round} ${n}`)),
        ...Array.from({ length: 10 }, stepSoon),
      ]);
      expect(answers.filter((one) => "status" in one && ![200, 201].includes(one.status))).toEqual([]);
    }
    await stepSoon();
    await waitFor("the step is taken", async () => {
      const [row] = await api.sql`
        SELECT next_step_at > now() AS taken FROM recurrences WHERE account_id = ${caller.accountId}`;
      return row?.taken === true;
    });
    expect(await repeated()).toEqual([]);
    const rows = await api.sql`
      SELECT DISTINCT r.sealed IS NOT NULL AS sealed, s.payload_size_bytes FROM schedule_requests r
      JOIN schedules s ON s.id = r.schedule_id WHERE r.account_id = ${caller.accountId} AND s.status = 'scheduled'`;
    const { body } = await api.call("GET", "/v1/recurrences/one", caller.live);
    expect(rows).toEqual([{ sealed: true, payload_size_bytes: body.payload_size_bytes }]);
    const [count] = await api.sql`
      SELECT count(*)::int AS n FROM schedules WHERE account_id = ${caller.accountId} AND status <> 'cancelled'`;
    expect(await createdBy(api, caller)).toBe(count?.n);
  }, 120_000);
});
