import { afterAll, beforeAll, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { Stopwatch } from "../../../sdk/src/index.ts";
import { type Api, FUTURE, startApi, TARGET } from "../api/api.ts";
import { serveApi } from "./serve-api.ts";

let api: Api;
let service: Awaited<ReturnType<typeof serveApi>>;
beforeAll(async () => {
  api = await startApi();
  service = await serveApi();
});
afterAll(async () => {
  await service?.stop();
  await api?.stop();
});

const input = { targetUrl: TARGET, fireAt: FUTURE };

async function start() {
  const { accountId, live } = await api.account();
  const client = new Stopwatch(live, { baseUrl: service.origin });
  const count = async () => {
    const [row] = await api.sql`SELECT count(*)::int AS count FROM schedules WHERE account_id = ${accountId}`;
    return row?.count;
  };
  return { client, count };
}

it("a create, a replay and a clone whose answers are lost are carried out once", async () => {
  const { client, count } = await start();
  service.loseNext(/^POST .*schedules$/);
  const created = await client.schedules.create({ targetUrl: TARGET, fireIn: "1h", json: { n: 1 } });
  expect(created).toMatchObject({ replayed: true, mismatch: false });
  service.loseNext(/replay$/);
  expect(await client.schedules.replay(created.id, { fireIn: "1h" })).toMatchObject({
    replayed: true,
    mismatch: false,
  });
  service.loseNext(/clone$/);
  expect(await client.schedules.clone(created.id, { payload: "x", fireAt: FUTURE })).toMatchObject({ replayed: true });
  expect(await count()).toBe(3);
});

it("a batch whose answer is lost is stored once", async () => {
  const { client, count } = await start();
  service.loseNext(/bulk$/);
  const { accepted } = await client.schedules.createMany(Array.from({ length: 150 }, () => input));
  expect(accepted).toHaveLength(150);
  expect(accepted.filter(({ replayed }) => replayed).length % 50).toBe(0);
  expect(accepted.some(({ replayed }) => replayed)).toBe(true);
  expect(accepted.map(({ index }) => index)).toEqual(Array.from({ length: 150 }, (_, n) => n));
  expect(await count()).toBe(150);
});

it("an operation and a rotation whose answers are lost are carried out once", async () => {
  const { client } = await start();
  service.loseNext(/operations$/);
  expect(await client.operations.start({ action: "cancel", all: true })).toMatchObject({ replayed: true });
  expect((await client.operations.list()).total).toBe(1);
  const { next } = await client.signingSecrets.get();
  service.loseNext(/rotate$/);
  expect(await client.signingSecrets.rotate()).toMatchObject({ current: next, replayed: true });
});

it("a cancel, a move and a stop whose answers are lost are sent again", async () => {
  const { client } = await start();
  const { id } = await client.schedules.create(input);
  service.loseNext(/^PATCH/);
  expect(Date.parse((await client.schedules.reschedule(id, { fireIn: "1h" })).fire_at)).toBeLessThan(
    Date.parse(FUTURE),
  );
  service.loseNext(/^DELETE/);
  expect(await client.schedules.cancel(id)).toMatchObject({ status: "cancelled" });
  const operation = await client.operations.start({ action: "cancel", all: true });
  service.loseNext(/stop$/);
  expect(await client.operations.stop(operation.id)).toMatchObject({ status: "stopped" });
});

/** Marks a schedule as delivered, as a dispatcher does. */
async function deliver(id: string) {
  await api.sql`UPDATE schedules SET status = 'succeeded', attempts = 1, fired_at = fire_at, offset_ms = 0,
    next_attempt_at = NULL, ended_at = now(), updated_at = clock_timestamp() WHERE id = ${decodeId("sch", id)}`;
}

it("a fire and a move whose answers are lost return the schedule that was sent meanwhile", async () => {
  const { client } = await start();
  for (const move of [
    (id: string) => client.schedules.fire(id),
    (id: string) => client.schedules.reschedule(id, { fireIn: "1s" }),
  ]) {
    const { id } = await client.schedules.create(input);
    const isMoved = () => api.sql`SELECT id FROM schedules WHERE id = ${decodeId("sch", id)} AND fire_at < ${FUTURE}`;
    service.loseNext(/fire$|^PATCH/, async () => {
      expect(await isMoved()).toHaveLength(1);
      await deliver(id);
    });
    const before = service.requests.length;
    expect(await move(id)).toMatchObject({ id, status: "succeeded", attempts: 1 });
    expect(service.requests.slice(before).filter((request) => request.startsWith("GET"))).toHaveLength(1);
  }
});

it("a fire that is refused without a lost answer is refused", async () => {
  const { client } = await start();
  const { id } = await client.schedules.create(input);
  await deliver(id);
  await expect(client.schedules.fire(id)).rejects.toMatchObject({ code: "CONFLICT", attempts: 1 });
});
