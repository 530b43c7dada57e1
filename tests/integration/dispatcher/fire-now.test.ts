import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { makeDue } from "#db/queries/schedules/fire.ts";
import { encodeId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { inMs, pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ hasDispatcher: true }, (made) => {
  ({ receiver, harness } = made);
});

let web: OrmDatabase;
beforeAll(() => {
  web = connectOrm({ url: harness.databaseUrl, name: "web", connectionsMax: 8 });
});
afterAll(() => web.close());

const HOUR_MS = 3_600_000;
/** Less than the time until a sweep would find it, far less than the wait before a retry of these tests, and far more than it needs. */
const AT_ONCE_MS = 4_500;

const fire = ({ id: accountId }: TestAccount, id: string) =>
  web.run(10_000, ({ db }) => makeDue(db, { accountId, env: "live" }, id));
const status = async (id: string) => (await harness.read(id)).status;
const requestsOf = (id: string) =>
  receiver.requests.filter(({ headers }) => headers["x-service-schedule-id"] === encodeId("sch", id));
const allEnd = (ids: readonly string[]) =>
  waitFor("all are delivered", async () => {
    const [row] =
      await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE id = ANY(${ids}) AND status <> 'succeeded'`;
    return row?.n === 0;
  });

describe("a schedule that is moved to now", () => {
  it.each([
    ["far away", HOUR_MS],
    ["in memory", 2_500],
  ])("while it is %s is sent at once, once, and with its new instant", async (_, aheadMs) => {
    const account = await harness.account();
    const fireAt = inMs(aheadMs);
    const id = await harness.schedule(account, `${receiver.origin}/`, fireAt);
    const stalled = countStalls();
    const movedAtMs = Date.now();
    const moved = await fire(account, id);
    await allEnd([id]);
    const stalledMs = stalled();
    if (aheadMs < HOUR_MS) await waitFor("its former instant has passed", () => Date.now() > fireAt.getTime() + 500);
    const [request, ...others] = requestsOf(id);
    expect(others).toEqual([]);
    expectOnTime((request?.arrivedAtMs as number) - movedAtMs, AT_ONCE_MS, stalledMs);
    expect(request?.headers["x-service-fire-at"]).toBe(moved?.fireAt.toISOString());
    const { fire_at, fired_at, offset_ms } = await harness.read(id);
    expect([fire_at, (fired_at as Date).getTime() - (fire_at as Date).getTime()]).toEqual([
      moved?.fireAt,
      Number(offset_ms),
    ]);
    expect(Number(offset_ms)).toBeGreaterThanOrEqual(0);
  });

  it("at whatever moment around its instant is sent once, at the instant that was acknowledged", async () => {
    const account = await harness.account();
    const firesAtMs = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        for (let n = 0; n < 5; n++) {
          const id = await harness.schedule(account, `${receiver.origin}/`, inMs(500 + Math.random() * 300));
          const fireAt = (await harness.read(id)).fire_at as Date;
          await pause(fireAt.getTime() - Date.now() - 300 + Math.random() * 320);
          const moved = await fire(account, id);
          firesAtMs.set(id, moved?.fireAt.getTime() ?? fireAt.getTime());
        }
      }),
    );
    await allEnd([...firesAtMs.keys()]);
    expect(receiver.requests).toHaveLength(firesAtMs.size);
    for (const [id, ms] of firesAtMs) {
      const [request] = requestsOf(id);
      expect(Date.parse(String(request?.headers["x-service-fire-at"]))).toBe(ms);
      expect(request?.arrivedAtMs).toBeGreaterThanOrEqual(ms);
    }
  });

  it("waits for its turn like any other: the account's rate holds", async () => {
    const account = await harness.account({ settings: { cps_limit: 2 } });
    const ids = await Promise.all(
      Array.from({ length: 7 }, () => harness.schedule(account, `${receiver.origin}/`, inMs(HOUR_MS))),
    );
    for (const id of ids) await fire(account, id);
    await allEnd(ids);
    const rows = await harness.sql`SELECT attempted_at FROM attempts WHERE account_id = ${account.id}`;
    const times = rows.map(({ attempted_at }) => (attempted_at as Date).getTime());
    for (const at of times)
      expect(times.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(2);
    expect(times).toHaveLength(7);
  });
});

describe("a failed schedule whose retry is made due now", () => {
  it("is tried again at once, as often as retries are left, and is dead then", async () => {
    receiver.respond((_request, response) => response.writeHead(500).end("no"));
    const account = await harness.account({ settings: { retry_attempts: 2, retry_backoff_ms: HOUR_MS } });
    const id = await harness.schedule(account, `${receiver.origin}/`, null);
    for (const attempt of [1, 2]) {
      await waitFor("it fails", async () => (await status(id)) === "failed");
      expect(await harness.read(id)).toMatchObject({ attempts: attempt, failures: attempt });
      const stalled = countStalls();
      const firedAtMs = Date.now();
      expect(await fire(account, id)).toMatchObject({ status: "failed" });
      await waitFor("the retry arrives", () => requestsOf(id).length === attempt + 1);
      const arrivedAtMs = requestsOf(id).at(-1)?.arrivedAtMs as number;
      expectOnTime(arrivedAtMs - firedAtMs, AT_ONCE_MS, stalled());
    }
    await waitFor("it dies", async () => (await status(id)) === "dead");
    expect(await fire(account, id)).toBeUndefined();
    expect(requestsOf(id).map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2", "3"]);
    expect(new Set(requestsOf(id).map(({ headers }) => headers["x-service-fire-at"])).size).toBe(1);
  });

  it("is tried again at once even when the call comes while its failure is being stored", async () => {
    receiver.respond(({ headers }, response) =>
      response.writeHead(headers["x-service-attempt"] === "1" ? 503 : 200).end("later"),
    );
    const account = await harness.account({ settings: { retry_backoff_ms: HOUR_MS } });
    const ids = await Promise.all(
      Array.from({ length: 200 }, (_, n) => harness.schedule(account, `${receiver.origin}/`, inMs(300 + n * 10))),
    );
    const firedAtMs = new Map<string, number>();
    const stalled = countStalls();
    await waitFor("all are fired", async () => {
      const failed =
        await harness.sql`SELECT id FROM schedules WHERE id = ANY(${ids}) AND status = 'failed' AND moved_to_now_at IS NULL`;
      await Promise.all(failed.map(async ({ id }) => (await fire(account, id)) && firedAtMs.set(id, Date.now())));
      return firedAtMs.size === ids.length;
    });
    await allEnd(ids);
    const waitsMs = ids.map((id) => (requestsOf(id)[1]?.arrivedAtMs as number) - (firedAtMs.get(id) as number));
    expectOnTime(Math.max(...waitsMs), AT_ONCE_MS, stalled());
    expect(receiver.requests).toHaveLength(2 * ids.length);
  });
});
