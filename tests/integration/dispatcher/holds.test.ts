import { describe, expect, it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { leaveHeartbeat, pretendTimeline } from "../../helpers/incarnations.ts";
import { restoreFrom } from "../../helpers/logical-copy.ts";
import { FIVE_MINUTES_MS, type OverdueFleet, withOverdueSchedules } from "../../helpers/overdue-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let harness: DispatchHarness;
let fleet: OverdueFleet;

withOverdueSchedules((made) => {
  ({ receiver, harness, fleet } = made);
});

describe("dispatchers that start on a database whose newest heartbeat is from another incarnation", () => {
  it("send nothing, however many start at once, until an operator has chosen, and go on by themselves then", async () => {
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await pretendTimeline(harness.sql, 2);
    const dispatchers = await Promise.all([harness.dispatcher(), harness.dispatcher()]);
    await fleet.expectNothingSent(dispatchers);
    for (const { held } of dispatchers) expect(held()).toContain("may be a restored one");
    expect(await fleet.openHold()).toMatchObject({ reason: "restored" });
    await fleet.sendAll();
    await fleet.expectAllSent();
    expect(await fleet.openHold()).toBeUndefined();
  });

  it("send nothing, however young that heartbeat is", async () => {
    await leaveHeartbeat(harness.sql, 1_000);
    await pretendTimeline(harness.sql, 2);
    await fleet.expectNothingSent([await harness.dispatcher()]);
  });

  it("send at once when it is a promoted standby, and that heartbeat no more than two minutes old", async () => {
    await leaveHeartbeat(harness.sql, 110_000);
    await pretendTimeline(harness.sql, 2, { wasStandby: true });
    await harness.dispatcher();
    await fleet.expectAllSent();
  });

  it("send nothing in a database that was dropped, created and restored in the same server", async () => {
    await harness.sql`UPDATE schedules SET next_attempt_at = now() + interval '1 hour'`;
    await (await harness.dispatcher()).stop();
    await restoreFrom(harness.databaseUrl, harness.databaseUrl);
    await harness.sql`UPDATE schedules SET next_attempt_at = now()`;
    await fleet.expectNothingSent([await harness.dispatcher()]);
  });

  it("hold when nothing is due yet: what is due later may have been cancelled or fired since the backup", async () => {
    await harness.sql`UPDATE schedules SET next_attempt_at = now() + interval '1 hour'`;
    await leaveHeartbeat(harness.sql, 1_000);
    await pretendTimeline(harness.sql, 2);
    const dispatcher = await harness.dispatcher();
    await harness.sql`UPDATE schedules SET next_attempt_at = now()`;
    await fleet.expectNothingSent([dispatcher]);
  });

  it("send at once when it is from a version that stored no incarnation", async () => {
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await harness.sql`UPDATE dispatchers SET system_identifier = NULL, timeline = NULL`;
    await pretendTimeline(harness.sql, 2);
    await harness.dispatcher();
    await fleet.expectAllSent();
  });

  it("go on when nothing is pending, and deliver what is created from then on", async () => {
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
    await fleet.expectNothingSent([await harness.dispatcher()]);
  });
});

it("dispatchers that were all killed for five minutes send everything overdue, without a question", async () => {
  await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
  const dispatcher = await harness.dispatcher();
  expect(dispatcher.held()).toBeNull();
  await fleet.expectAllSent();
});

describe("a server that does not let the service read", () => {
  it("its system identifier is held by its timeline", async () => {
    await harness.sql`REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`;
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await harness.sql`UPDATE dispatchers SET timeline = timeline + 1`;
    await fleet.expectNothingSent([await harness.dispatcher()]);
    const [hold] = await harness.sql`SELECT system_identifier, timeline::int FROM holds`;
    expect(hold).toEqual({ system_identifier: null, timeline: 1 });
  });

  it("its timeline is held by its system identifier, as after a copy", async () => {
    await harness.sql`REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC`;
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await harness.sql`UPDATE dispatchers SET system_identifier = system_identifier + 1`;
    await fleet.expectNothingSent([await harness.dispatcher()]);
  });

  it("either of them is used as before", async () => {
    await harness.sql`REVOKE EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn() FROM PUBLIC`;
    await leaveHeartbeat(harness.sql, FIVE_MINUTES_MS);
    await harness.sql`UPDATE dispatchers SET system_identifier = system_identifier + 1, timeline = timeline + 1`;
    await harness.dispatcher();
    await fleet.expectAllSent();
  });
});
