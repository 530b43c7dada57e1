import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryOptions } from "#domain/delivery-options.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let harness: DispatchHarness;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin });
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.respond((_request, response) => response.end("ok"));
});

const answerWith = (status: number) =>
  receiver.respond((_request, response) => {
    response.writeHead(status).end();
  });

const schedule = async (delivery: DeliveryOptions, path = "/", dueInMs = 200) =>
  harness.schedule(await harness.account(), `${receiver.origin}${path}`, inMs(dueInMs), { delivery });

const ended = (id: string) =>
  waitFor("its attempt is recorded", async () => {
    const row = await harness.read(id);
    return ["failed", "dead", "succeeded"].includes(row.status) && row;
  });

const isDead = (id: string) =>
  waitFor("it is dead", async () => {
    const row = await harness.read(id);
    return row.status === "dead" && row;
  });

const isPast = (instant: Date) =>
  waitFor("an instant has passed", async () => {
    const [row] = await harness.sql`SELECT clock_timestamp() > ${instant.toISOString()}::timestamptz AS is_past`;
    return row?.is_past === true;
  });

// They need a database in which no dispatcher runs yet.
describe("a schedule that is met after it has expired", () => {
  it("is dead without an attempt and says why, and what is due behind it is delivered", async () => {
    const account = await harness.account();
    const paused = await harness.account();
    const url = `${receiver.origin}/late`;
    const expiresAt = inMs(400);
    const options = { delivery: { expiresAtMs: expiresAt.getTime() } };
    const untried = await harness.schedule(account, url, inMs(100), options);
    const tried = await harness.schedule(account, url, inMs(100), options);
    const waiting = await harness.schedule(paused, url, inMs(100), options);
    const moved = await harness.schedule(account, url, inMs(100), options);
    await harness.sql`
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes,
        origin, created_at, updated_at, delivery)
      SELECT gen_random_uuid(), account_id, env, shard, early_fire, fire_at, next_attempt_at, 0, 0, origin, created_at,
        updated_at, delivery
      FROM schedules, generate_series(1, 2500) WHERE id = ${untried}`;
    await isPast(expiresAt);
    await harness.sql`
      UPDATE schedules SET status = 'failed', attempts = 1, failures = 1, last_attempt_at = now(), last_status_code = 503,
        last_error = 'busy' WHERE id = ${tried}`;
    await harness.sql`UPDATE accounts SET activated_at = now() WHERE id = ${paused.id}`;
    await harness.sql`UPDATE schedules SET next_attempt_at = now() + interval '1 hour' WHERE id = ${moved}`;
    const behind = await harness.schedule(account, `${receiver.origin}/behind`, null);

    await harness.dispatcher();
    expect(await ended(behind)).toMatchObject({ status: "succeeded", end_reason: null });
    const dead = { status: "dead", next_attempt_at: null, fired_at: null, ended_at: expect.any(Date) };
    expect(await ended(untried)).toMatchObject({
      ...dead,
      ...{ attempts: 0, end_reason: "expired", last_error: "expired before its first attempt" },
    });
    expect(await isDead(tried)).toMatchObject({ ...dead, attempts: 1, end_reason: "expired", last_error: "busy" });
    expect(await ended(waiting)).toMatchObject({
      ...dead,
      ...{ attempts: 0, end_reason: "deactivated", last_error: "expired while its account was deactivated" },
    });
    await waitFor("all of the lane are dead", async () => {
      const [row] = await harness.sql`
        SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND end_reason = 'expired'`;
      return row?.n === 2_502;
    });
    expect(await harness.read(moved)).toMatchObject({ status: "scheduled", attempts: 0 });
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/behind"]);
  });

  it("is dead when its lost attempt would be repeated after that", async () => {
    const id = await schedule({ expiresAtMs: Date.now() + 3_600_000 }, "/", 3_000_000);
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = now() - interval '40 s',
        claim_deadline = now() - interval '5 s',
        delivery = jsonb_build_object('expiresAtMs', (extract(epoch FROM now() - interval '20 s') * 1000)::bigint)
      WHERE id = ${id}`;
    expect(await ended(id)).toMatchObject({ status: "dead", end_reason: "expired", interruptions: 1 });
    expect(await harness.attempts(id)).toMatchObject([{ outcome: "interrupted" }]);
  });
});

describe("a schedule with delivery options", () => {
  it("has its own time for an answer, and a lease that is as much longer as it takes to leave and to record", async () => {
    receiver.respond(() => {});
    const id = await schedule({ timeoutMs: 1_500, retryDelaysMs: [] });
    await waitFor("its request arrives", () => receiver.requests.length === 1);
    const firing = (await harness.read(id)) as unknown as { claimed_at: Date; claim_deadline: Date };
    expect(firing.claim_deadline.getTime() - firing.claimed_at.getTime()).toBe(11_500);
    expect(await ended(id)).toMatchObject({ status: "dead", end_reason: "attempts", attempts: 1 });
    const [attempt] = await harness.attempts(id);
    expect(attempt).toMatchObject({ outcome: "unreachable", error_text: "no answer within 1.5 s" });
    expect(attempt?.latency_ms).toBeGreaterThanOrEqual(1_500);
  });

  it("has the lease of 35 s without a time of its own, and never a longer one", async () => {
    for (const delivery of [{ retryDelaysMs: [] }, { timeoutMs: 30_000 }]) {
      receiver.requests.length = 0;
      let answer = () => {};
      receiver.respond((_request, response) => {
        answer = () => response.end();
      });
      const id = await schedule(delivery);
      await waitFor("its request arrives", () => receiver.requests.length === 1);
      const firing = (await harness.read(id)) as unknown as { claimed_at: Date; claim_deadline: Date };
      expect(firing.claim_deadline.getTime() - firing.claimed_at.getTime()).toBe(35_000);
      answer();
      await ended(id);
    }
  });

  it("waits its own delays, without jitter", async () => {
    answerWith(500);
    const id = await schedule({ retryDelaysMs: [1_000, 3_600_000] });
    const row = await waitFor("its second attempt is recorded", async () => {
      const read = await harness.read(id);
      return read.status === "failed" && read.attempts === 2 && read;
    });
    const attempts = (await harness.attempts(id)) as unknown as { attempted_at: Date; latency_ms: number }[];
    const endedAtMs = Number(attempts[1]?.attempted_at) + Number(attempts[1]?.latency_ms);
    const waitMs = (row.next_attempt_at as Date).getTime() - endedAtMs;
    expect(waitMs).toBeGreaterThanOrEqual(3_600_000 - 5);
    // Jitter would be up to 15 minutes.
    expect(waitMs).toBeLessThan(3_630_000);
  });

  it.each([
    [404, ["400-404"], "dead"],
    [405, ["400-404", 422], "failed"],
    [410, [404], "failed"],
    [410, undefined, "dead"],
  ] as const)("answered with %d, of which %j ends it, is %s", async (status, giveUpStatuses, expected) => {
    answerWith(status);
    const id = await schedule(giveUpStatuses === undefined ? { timeoutMs: 20_000 } : { giveUpStatuses });
    const end_reason = expected === "dead" ? "status" : null;
    expect(await ended(id)).toMatchObject({ status: expected, end_reason, attempts: 1 });
  });

  it("is dead at once when its next attempt would begin after it has expired", async () => {
    answerWith(503);
    const id = await schedule({ retryDelaysMs: [60_000], expiresAtMs: Date.now() + 30_000 });
    expect(await ended(id)).toMatchObject({
      status: "dead",
      end_reason: "expired",
      attempts: 1,
      last_status_code: 503,
    });
  });

  it("begins no attempt after it has expired, however many are due before it", async () => {
    const account = await harness.account({ settings: { cps_limit: 20 } });
    const expiresAtMs = Date.now() + 3_000;
    const dueAt = inMs(1_500);
    const ids = await Promise.all(
      Array.from({ length: 200 }, () =>
        harness.schedule(account, `${receiver.origin}/crowd`, dueAt, { delivery: { expiresAtMs } }),
      ),
    );
    const rows = await Promise.all(ids.map(ended));
    const sent = rows.filter(({ status }) => status === "succeeded");
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(200);
    for (const row of sent) expect(Number(row.fired_at)).toBeLessThanOrEqual(expiresAtMs);
    for (const row of rows.filter(({ status }) => status !== "succeeded"))
      expect(row).toMatchObject({ status: "dead", attempts: 0, end_reason: "expired" });
    expect(receiver.requests.filter(({ path }) => path === "/crowd")).toHaveLength(sent.length);
  });
});
