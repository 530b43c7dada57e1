import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sendHeartbeat, stopDispatcher } from "#db/queries/fleet/shard-leases.ts";
import { newId } from "#domain/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";

let database: TestDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 4, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const dispatcher = () => ({ id: newId(Date.now()), host: "host", pid: 1, version: "0.0.0", skewMs: null });

it("a heartbeat that commits after the stop of its dispatcher leaves the dispatcher stopped and uncounted", async () => {
  const [stopping, other] = [dispatcher(), dispatcher()];
  const read = async () => {
    const [row] = await sql`
      SELECT h.beat_at, d.stopped_at FROM heartbeats h JOIN dispatchers d ON d.id = h.dispatcher_id WHERE d.id = ${stopping.id}`;
    return row;
  };
  const send = (from: typeof other) => sql.begin((tx) => sendHeartbeat(tx, from));
  await send(stopping);
  expect(await send(other)).toMatchObject({ others: 1 });
  const before = await read();

  const late = await sql.begin(async (tx) => {
    await stopDispatcher(tx as never, stopping.id);
    const heartbeat = send(stopping);
    await waitFor(
      "the heartbeat waits for the row",
      async () => (await waitingForLock(sql, "SELECT FROM dispatchers")) > 0,
    );
    return { heartbeat };
  });
  await late.heartbeat;
  await send(stopping);

  expect(await read()).toEqual({ beat_at: before?.beat_at, stopped_at: expect.any(Date) });
  expect(await send(other)).toMatchObject({ others: 0 });
});

it("a dispatcher that ended before it was settled does not count as settled while its last heartbeat still counts", async () => {
  const [ended, settled, other] = [dispatcher(), dispatcher(), dispatcher()];
  const send = (from: typeof other) => sql.begin((tx) => sendHeartbeat(tx, from));
  for (const one of [ended, settled]) await send(one);
  await sql`UPDATE dispatchers SET started_at = now() - interval '6 seconds' WHERE id IN ${sql([ended.id, settled.id])}`;
  expect(await send(other)).toMatchObject({ isSettled: false, settledOthers: 2 });
  await sql`UPDATE heartbeats SET beat_at = now() - interval '4 seconds' WHERE dispatcher_id = ${ended.id}`;
  expect(await send(other)).toMatchObject({ settledOthers: 1 });
});
