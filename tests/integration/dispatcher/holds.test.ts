import { beforeEach, describe, expect, it } from "vitest";
import { endHold, holdForOperator } from "#db/queries/fleet/holds.ts";
import type { Dispatcher } from "#dispatcher/dispatcher.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { leaveHeartbeat, pretendTimeline } from "../../helpers/incarnations.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import type { Receiver } from "../../helpers/receiver.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const FIVE_MINUTES_MS = 300_000;
const OVERDUE = 12;
const TWO_LOOKS_MS = 2_500;

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ isPerTest: true }, (made) => {
  ({ receiver, harness } = made);
});
beforeEach(async () => {
  const account = await harness.account();
  await insertSchedules(harness.sql, [account.id], new URL(receiver.origin), {
    ...{ rows: OVERDUE, fromMs: -FIVE_MINUTES_MS, everyMs: 1_000 },
  });
});

const openHold = async () => (await harness.sql`SELECT id, reason FROM holds WHERE ended_at IS NULL`)[0];
const sendAll = async () => {
  const { id } = await holdForOperator(harness.sql);
  await endHold(harness.sql, id, { choice: "send_all" });
};
/** Expects that none of the dispatchers sends anything while each looks at least twice whether the hold has ended. */
const expectNothingSent = async (dispatchers: readonly Dispatcher[]) => {
  await pause(TWO_LOOKS_MS);
  for (const { figures } of dispatchers) expect(figures()).toMatchObject({ owned: 0, held: 1 });
  expect(receiver.requests).toHaveLength(0);
};
const expectAllSent = async () => {
  await waitFor("all are delivered", async () => {
    const [row] = await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded'`;
    return row?.n === OVERDUE;
  });
  expect(receiver.requests).toHaveLength(OVERDUE);
};

describe("dispatchers that start on a database whose newest heartbeat is from another incarnation", () => {
  it("send nothing, however many start at once, until an operator has chosen, and go on by themselves then", async () => {
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await pretendTimeline(harness.sql, 2);
    const dispatchers = await Promise.all([harness.dispatcher(), harness.dispatcher()]);
    await expectNothingSent(dispatchers);
    for (const { held } of dispatchers) expect(held()).toContain("may be a restored one");
    expect(await openHold()).toMatchObject({ reason: "restored" });
    await sendAll();
    await expectAllSent();
    expect(await openHold()).toBeUndefined();
  });

  it("send at once when that heartbeat is no more than two minutes old, as after a failover", async () => {
    await leaveHeartbeat(harness.sql, 110_000);
    await pretendTimeline(harness.sql, 2);
    await harness.dispatcher();
    await expectAllSent();
  });

  it("send at once when it is from a version that stored no incarnation", async () => {
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await harness.sql`UPDATE dispatchers SET system_identifier = NULL, timeline = NULL`;
    await pretendTimeline(harness.sql, 2);
    await harness.dispatcher();
    await expectAllSent();
  });

  it("go on when nothing is due, and deliver what is created from then on", async () => {
    await harness.sql`DELETE FROM schedules`;
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await pretendTimeline(harness.sql, 2);
    const dispatcher = await harness.dispatcher();
    expect(dispatcher.held()).toBeNull();
    await harness.schedule(await harness.account(), receiver.origin, null);
    await waitFor("it is sent", () => receiver.requests.length === 1);
  });

  it("hold when nothing is due but an attempt whose outcome is unknown", async () => {
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = next_attempt_at, claim_deadline = next_attempt_at + interval '35 s'`;
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await pretendTimeline(harness.sql, 2);
    await expectNothingSent([await harness.dispatcher()]);
  });
});

it("dispatchers that were all killed for five minutes send everything overdue, without a question", async () => {
  await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
  const dispatcher = await harness.dispatcher();
  expect(dispatcher.held()).toBeNull();
  await expectAllSent();
});

describe("a dispatcher that lives", () => {
  beforeEach(() => harness.sql`UPDATE schedules SET next_attempt_at = now() + interval '1 hour'`);
  const makeDue = () => harness.sql`UPDATE schedules SET next_attempt_at = now()`;

  it("sends nothing on a lower timeline than it has seen, until an operator has chosen", async () => {
    await pretendTimeline(harness.sql, 3);
    const dispatcher = await harness.dispatcher();
    await waitFor("it delivers", () => dispatcher.figures().owned === 64);
    await pretendTimeline(harness.sql, 2);
    await waitFor("it has noticed", () => dispatcher.held() !== null);
    await makeDue();
    await expectNothingSent([dispatcher]);
    expect(dispatcher.held()).toContain("an older timeline");
    await sendAll();
    await expectAllSent();
  });

  it("goes on by itself when the former primary is gone again", async () => {
    await pretendTimeline(harness.sql, 3);
    const dispatcher = await harness.dispatcher();
    await pretendTimeline(harness.sql, 2);
    await waitFor("it has noticed", () => dispatcher.held() !== null);
    // The database with timeline 3 has no hold: that was stored in the other one.
    await harness.sql`DELETE FROM holds`;
    await pretendTimeline(harness.sql, 3);
    await makeDue();
    await expectAllSent();
  });

  it("sends nothing once a snapshot from before its last heartbeats is in place, which a new one could not tell from a crash", async () => {
    const dispatcher = await harness.dispatcher();
    await waitFor("it delivers", () => dispatcher.figures().owned === 64);
    await harness.sql.begin(async (tx) => {
      // Waits until a heartbeat in flight is stored.
      await tx`LOCK TABLE dispatchers IN ACCESS EXCLUSIVE MODE`;
      await tx`UPDATE dispatchers SET beat_at = beat_at - interval '5 minutes'`;
      await tx`UPDATE schedules SET next_attempt_at = now()`;
      await tx`UPDATE shards SET lease_until = now() - interval '5 minutes'`;
    });
    await waitFor("it has noticed", () => dispatcher.held() !== null);
    await expectNothingSent([dispatcher]);
    await sendAll();
    await expectAllSent();
  });

  it("ends the hold of a starting one when it finds its own last heartbeat: the failover was slow, and nothing was lost", async () => {
    const living = await harness.dispatcher();
    await waitFor("it delivers", () => living.figures().owned === 64);
    await harness.sql`INSERT INTO holds (reason) VALUES ('restored')`;
    await makeDue();
    await expectAllSent();
    expect((await harness.sql`SELECT choice FROM holds`)[0]).toEqual({ choice: "continued" });
  });

  it("stops sending when an operator holds the database, and does not end that hold", async () => {
    const dispatcher = await harness.dispatcher();
    await waitFor("it delivers", () => dispatcher.figures().owned === 64);
    await holdForOperator(harness.sql);
    await waitFor("it has noticed", () => dispatcher.held() !== null);
    await makeDue();
    await expectNothingSent([dispatcher]);
    await sendAll();
    await expectAllSent();
  });
});

describe("a server that does not tell its incarnation", () => {
  it("is used as before", async () => {
    await harness.sql.unsafe(`
      CREATE OR REPLACE FUNCTION database_incarnation(OUT system_identifier bigint, OUT timeline bigint) LANGUAGE sql
      AS 'SELECT NULL::bigint, NULL::bigint'`);
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await harness.dispatcher();
    await expectAllSent();
  });
});
