// Guards: domain/incarnation.ts, dispatcher/lifecycle.ts, scripts/reconcile/**, dispatcher/heartbeats.ts
// Final: its verdict is about what was sent before an operator has chosen.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { formatInstant } from "#domain/instant.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { copyDatabase, copyRows } from "../../helpers/logical-copy.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { type OwnServer, startOwnServer, startStandby } from "../../helpers/own-server.ts";
import { makeRestorable } from "../../helpers/point-in-time.ts";
import { inMs, pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { runScript } from "../scripts/script-process.ts";

const run = promisify(execFile);
const SCHEDULES = 30;
/** Each dispatcher looks at least twice whether a hold has ended. */
const TWO_LOOKS_MS = 2_500;

let receiver: Receiver;
let server: OwnServer;
let harness: DispatchHarness | undefined;
let other: OwnServer | undefined;
let standby: Awaited<ReturnType<typeof startStandby>> | undefined;

beforeEach(async () => {
  receiver = await startReceiver({ tls: false });
  server = await startOwnServer();
});
afterEach(async () => {
  await harness?.close();
  await standby?.remove();
  await other?.remove();
  await server.remove();
  await receiver.close();
  harness = standby = other = undefined;
});

async function start(url: string): Promise<DispatchHarness> {
  harness = await createDispatchHarness(
    { DELIVERY_ALLOW: receiver.origin },
    { url, serviceUrl: url, drop: () => Promise.resolve() },
  );
  return harness;
}

async function reconcile(url: string, ...choice: string[]) {
  const script = runScript("reconcile", [...choice, "--yes"], { DATABASE_URL: url });
  expect(await script.exited, script.stderr.join("\n")).toBe(0);
}

const received = () => receiver.requests.length;

it("after a restore to a point in time nothing is sent again before the choice: neither by the dispatchers that ran all the time, nor by new ones", async () => {
  const { restoreTo } = await makeRestorable(server);
  const { sql, account, schedule, dispatcher } = await start(server.url);
  const first = await dispatcher();
  await waitFor("it delivers", () => first.figures().owned === 64);
  await first.stop();
  const owner = await account();
  const due = inMs(3_000);
  const ids = await Promise.all(
    Array.from({ length: SCHEDULES + 1 }, () => schedule(owner, `${receiver.origin}/`, due)),
  );
  await sql`SELECT pg_create_restore_point('backup')`;

  await sql`
    UPDATE schedules SET status = 'cancelled', version = version + 1, next_attempt_at = NULL, ended_at = now()
    WHERE id = ${ids[0] as string}`;
  const living = await dispatcher();
  await waitFor("all others are sent", () => received() === SCHEDULES);
  await restoreTo("backup");
  const [row] = await sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'scheduled'`;
  expect(row?.n).toBe(SCHEDULES + 1);

  const fresh = await dispatcher();
  await waitFor("both have noticed", () => living.held() !== null && fresh.held() !== null, 30_000);
  await pause(TWO_LOOKS_MS);
  expect(received()).toBe(SCHEDULES);

  await reconcile(server.url, "--send-from", formatInstant(due.getTime() + 1));
  await schedule(owner, `${receiver.origin}/after`, null);
  await waitFor("they go on by themselves", () => received() > SCHEDULES, 30_000);
  expect(receiver.requests.filter(({ path }) => path === "/after")).toHaveLength(1);
  expect(received()).toBe(SCHEDULES + 1);
  const statuses = await sql`SELECT DISTINCT status FROM schedules WHERE id = ANY (${`{${ids.join()}}`}::text::uuid[])`;
  expect(statuses).toEqual([{ status: "cancelled" }]);
});

it("a dump that is restored into another server, seconds after the last heartbeat, sends nothing again", async () => {
  const { sql, account, dispatcher } = await start(server.url);
  const first = await dispatcher();
  await waitFor("it delivers", () => first.figures().owned === 64);
  await first.stop();
  await insertSchedules(sql, [(await account()).id], new URL(receiver.origin), { rows: SCHEDULES, fromMs: 3_600_000 });
  const backup = await copyDatabase(server.url, server.url, "backup");
  await sql`UPDATE schedules SET next_attempt_at = now(), fire_at = now()`;
  await dispatcher();
  await waitFor("all are sent", () => received() === SCHEDULES);
  other = await startOwnServer();
  await copyRows(backup, other.url);
  await harness?.close();

  const restored = await start(other.url);
  const fresh = await restored.dispatcher();
  await restored.sql`UPDATE schedules SET next_attempt_at = now(), fire_at = now()`;
  await pause(TWO_LOOKS_MS);
  expect(fresh.held()).toContain("may be a restored one");
  expect(received()).toBe(SCHEDULES);
  await reconcile(other.url, "--cancel-all");
  await waitFor("it goes on", () => fresh.figures().owned === 64);
  expect(await restored.sql`SELECT DISTINCT status, last_error FROM schedules`).toEqual([
    { status: "cancelled", last_error: "cancelled by reconcile" },
  ]);
});

it("a copy of the files that is put back under a dispatcher that runs sends nothing again", async () => {
  const { sql, account, dispatcher } = await start(server.url);
  await insertSchedules(sql, [(await account()).id], new URL(receiver.origin), { rows: SCHEDULES, fromMs: 3_600_000 });
  const living = await dispatcher();
  await waitFor("it delivers", () => living.figures().owned === 64);
  const [cluster, copy] = [`${server.folder}/postgres`, `${server.folder}/copy`];
  await server.stop();
  await run("cp", ["-a", cluster, copy]);
  await server.start();
  await waitFor("it can be reached", () =>
    sql`UPDATE schedules SET next_attempt_at = now(), fire_at = now()`.then(
      () => true,
      () => false,
    ),
  );
  await waitFor("all are sent", () => received() === SCHEDULES);
  await waitFor("it has beaten since", async () => {
    const [row] = await sql`SELECT now() - max(last_attempt_at) > interval '5 seconds' AS over FROM schedules`;
    return row?.over;
  });
  await server.stop();
  await rm(cluster, { recursive: true });
  await run("cp", ["-a", copy, cluster]);
  await server.start();
  await waitFor("it has noticed", () => living.held() !== null);
  await waitFor("they are due", () =>
    sql`UPDATE schedules SET next_attempt_at = now(), fire_at = now()`.then(
      () => true,
      () => false,
    ),
  );
  await pause(TWO_LOOKS_MS);
  expect(received()).toBe(SCHEDULES);
});

it("a promoted standby is gone on with by a new dispatcher, if no other one lives", async () => {
  standby = await startStandby(server);
  const { account, schedule, dispatcher } = await start(bothHosts(standby.url));
  const first = await dispatcher();
  await waitFor("it delivers", () => first.figures().owned === 64);
  await first.stop();
  const owner = await account();
  await Promise.all(Array.from({ length: SCHEDULES }, () => schedule(owner, `${receiver.origin}/`, null)));
  await untilReplicated(server.url);
  await server.crash();
  await promote(standby.url);
  const fresh = await dispatcher();
  await waitFor("all are sent from the standby", () => received() === SCHEDULES, 60_000);
  expect(fresh.held()).toBeNull();
});

it("a promoted standby is gone on with by itself; the former primary that comes back gets no request before the choice", async () => {
  standby = await startStandby(server);
  const { account, schedule, dispatcher } = await start(bothHosts(standby.url));
  const living = await dispatcher();
  await waitFor("it delivers", () => living.figures().owned === 64);
  const owner = await account();
  const due = inMs(8_000);
  await Promise.all(Array.from({ length: SCHEDULES }, () => schedule(owner, `${receiver.origin}/`, due)));
  await untilReplicated(server.url);
  await server.crash();
  await promote(standby.url);
  await waitFor("all are sent from the standby", () => received() === SCHEDULES, 60_000);
  expect(living.held()).toBeNull();

  await standby.remove();
  standby = undefined;
  await server.start();
  await waitFor("it has noticed", () => living.held() !== null, 30_000);
  expect(living.held()).toContain("an older timeline");
  const fresh = await dispatcher();
  await pause(TWO_LOOKS_MS);
  expect(fresh.held()).toContain("an older timeline");
  expect(received()).toBe(SCHEDULES);

  await reconcile(server.url, "--send-all");
  await waitFor("all are sent again, as chosen", () => received() === 2 * SCHEDULES, 30_000);
});

it("a dispatcher that starts while both take writes gets no request out of the former primary, which its address names first", async () => {
  standby = await startStandby(server);
  const { account, schedule, dispatcher } = await start(bothHosts(standby.url));
  const owner = await account();
  const due = inMs(2_000);
  await Promise.all(Array.from({ length: SCHEDULES }, () => schedule(owner, `${receiver.origin}/`, due)));
  await untilReplicated(server.url);
  await promote(standby.url);
  await ask(standby.url, (sql) =>
    waitFor("it takes writes", async () => (await sql`SELECT pg_is_in_recovery() AS waits`)[0]?.waits === false),
  );
  const fresh = await dispatcher();
  expect(fresh.held()).toContain("an older timeline");
  await waitFor("they are due", () => Date.now() > due.getTime());
  await pause(TWO_LOOKS_MS);
  expect(received()).toBe(0);
});

function bothHosts(standbyUrl: string): string {
  const hosts = [server.url, standbyUrl].map((url) => new URL(url).host);
  const { username, password, pathname } = new URL(server.url);
  return `postgres://${username}:${password}@${hosts.join()}${pathname}?target_session_attrs=read-write`;
}

async function untilReplicated(url: string) {
  await ask(url, (sql) =>
    waitFor("the standby has it all", async () => {
      const [row] = await sql`SELECT replay_lsn >= pg_current_wal_lsn() AS done FROM pg_stat_replication`;
      return row?.done;
    }),
  );
}

const promote = (url: string) => ask(url, (sql) => sql`SELECT pg_promote()`);

async function ask(url: string, work: (sql: postgres.Sql) => Promise<unknown>) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await work(sql);
  await sql.end();
}
