// Guards: domain/incarnation.ts, dispatcher/heartbeats.ts, db/queries/fleet/**, db/functions/database_incarnation.sql
// Final: its verdict is about what was sent before an operator has chosen.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import {
  copyDatabase,
  copyRows,
  createDatabase,
  dropDatabase,
  nameOf,
  restoreFrom,
} from "../../helpers/logical-copy.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { serviceUrlOf } from "../../helpers/service-role.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const SCHEDULES = 40;
/** Each dispatcher looks at least twice whether a hold has ended. */
const TWO_LOOKS_MS = 2_500;

let receiver: Receiver;
let harness: DispatchHarness;
let account: TestAccount;
let others: DispatchHarness[];
let made: string[];

beforeEach(async () => {
  [others, made] = [[], []];
  receiver = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin });
  account = await harness.account();
});
afterEach(async () => {
  for (const one of [...others, harness]) await one.close();
  for (const url of made) await dropDatabase(url);
  await receiver.close();
});

/** Stores schedules that are due in `inMs`. */
const store = (inMs: number) =>
  insertSchedules(harness.sql, [account.id], new URL(receiver.origin), { rows: SCHEDULES, fromMs: inMs });
const makeDue = (one = harness) =>
  one.sql`UPDATE schedules SET next_attempt_at = now(), fire_at = now() WHERE status = 'scheduled'`;
const add = (url: string) => {
  made.push(url);
  return url;
};
const backUp = async () =>
  add(await copyDatabase(harness.databaseUrl, harness.databaseUrl, `${nameOf(harness.databaseUrl)}_backup`));

/** A harness on a database that is beside that of the test. */
async function beside(url: string): Promise<DispatchHarness> {
  const drop = () => dropDatabase(url);
  const other = await createDispatchHarness(
    { DELIVERY_ALLOW: receiver.origin },
    { url, serviceUrl: serviceUrlOf(url), drop },
  );
  others.push(other);
  return other;
}

/** Webhook ids that were received, with how many times. */
function received() {
  const times = new Map<string, number>();
  for (const { headers } of receiver.requests)
    times.set(headers["webhook-id"] as string, (times.get(headers["webhook-id"] as string) ?? 0) + 1);
  return { ids: times.size, twice: [...times.values()].filter((n) => n > 1).length };
}

async function deliverAll(one = harness) {
  const dispatcher = await one.dispatcher();
  await untilDelivered(one);
  return dispatcher;
}

const untilDelivered = (one: DispatchHarness) =>
  waitFor("all are delivered", async () => {
    const [row] = await one.sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded'`;
    return row?.n === SCHEDULES;
  });

/** A dispatcher that has beaten, so that the backup has its heartbeat, and has stopped. */
async function beatOnce() {
  const dispatcher = await harness.dispatcher();
  await waitFor("it delivers", () => dispatcher.figures().owned === 64);
  await dispatcher.stop();
}

async function expectNothingMore(sent: number) {
  await pause(TWO_LOOKS_MS);
  expect(received()).toEqual({ ids: sent, twice: 0 });
}

describe("a database that was dropped, created and restored in the same server", () => {
  it("sends nothing again by a new dispatcher, seconds after the last heartbeat and while nothing is due", async () => {
    await beatOnce();
    await store(3_600_000);
    const backup = await backUp();
    await makeDue();
    await (await deliverAll()).stop();
    await restoreFrom(backup, harness.databaseUrl);

    const fresh = await harness.dispatcher();
    expect(fresh.held()).toContain("may be a restored one");
    await makeDue();
    await expectNothingMore(SCHEDULES);
  });

  it("sends nothing again by a dispatcher that runs all the time, also before its next heartbeat", async () => {
    await store(3_600_000);
    const living = await harness.dispatcher();
    await waitFor("it delivers", () => living.figures().owned === 64);
    const backup = await backUp();
    await makeDue();
    await untilDelivered(harness);
    // Heartbeats that the backup lacks.
    await waitFor("it has beaten since", async () => {
      const [row] =
        await harness.sql`SELECT now() - max(last_attempt_at) > interval '5 seconds' AS over FROM schedules`;
      return row?.over;
    });
    // What the former owner of the shards would find due at once.
    await makeDue(await beside(backup));
    await restoreFrom(backup, harness.databaseUrl);
    await waitFor("it has noticed", () => living.held() !== null);
    await expectNothingMore(SCHEDULES);
  });

  it("sends nothing again when its tables stayed and their rows alone were replaced", async () => {
    await beatOnce();
    await store(3_600_000);
    const backup = await backUp();
    await makeDue();
    await (await deliverAll()).stop();
    await copyRows(backup, harness.databaseUrl);
    await makeDue();
    expect((await harness.dispatcher()).held()).not.toBeNull();
    await expectNothingMore(SCHEDULES);
  });
});

describe("a copy beside a database", () => {
  it.each([
    [
      "of its files, by CREATE DATABASE … TEMPLATE",
      (name: string) => createDatabase(harness.databaseUrl, name, { template: nameOf(harness.databaseUrl) }),
    ],
    ["of its rows, by a dump", (name: string) => copyDatabase(harness.databaseUrl, harness.databaseUrl, name)],
  ])("sends nothing, and the database itself everything: %s", async (_what, copyTo) => {
    await beatOnce();
    await store(-1_000);
    const staging = await beside(await copyTo(`${nameOf(harness.databaseUrl)}_staging`));
    expect((await staging.dispatcher()).held()).toContain("a copy of one");
    const production = await deliverAll();
    expect(production.held()).toBeNull();
    await expectNothingMore(SCHEDULES);
  });
});

it("a database whose rows are still being loaded gets no heartbeat, and is judged when it is whole", async () => {
  await beatOnce();
  await store(-1_000);
  const backup = await backUp();
  await harness.sql`ALTER TABLE heartbeats DROP CONSTRAINT heartbeats_dispatcher_id_beat_pk`;
  await harness.sql`TRUNCATE heartbeats, schedules`;
  const dispatcher = await harness.dispatcher();
  expect(dispatcher.held()).toContain("is being restored");
  await copyRows(backup, harness.databaseUrl);
  await harness.sql`ALTER TABLE heartbeats ADD CONSTRAINT heartbeats_dispatcher_id_beat_pk PRIMARY KEY (dispatcher_id, beat)`;
  await waitFor("it judges", () => dispatcher.held()?.includes("may be a restored one"));
  await expectNothingMore(0);
});

it("tables that were written anew by VACUUM FULL, CLUSTER and freezing are no reason to hold", async () => {
  await beatOnce();
  await harness.sql`VACUUM FULL heartbeats`;
  await harness.sql`VACUUM FULL schedules`;
  await harness.sql`CLUSTER schedules USING schedules_pkey`;
  await harness.sql`CLUSTER heartbeats USING heartbeats_newest`;
  await harness.sql`VACUUM FREEZE`;
  await harness.sql`REINDEX TABLE heartbeats`;
  await store(-1_000);
  const dispatcher = await deliverAll();
  expect(dispatcher.held()).toBeNull();
  await expectNothingMore(SCHEDULES);
});

it("a database that the previous release used last is gone on with", async () => {
  await beatOnce();
  await harness.sql`UPDATE heartbeats SET database_oid = NULL, table_oid = NULL, xact = NULL`;
  await store(-1_000);
  expect((await deliverAll()).held()).toBeNull();
});
