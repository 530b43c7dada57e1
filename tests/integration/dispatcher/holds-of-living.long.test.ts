// Guards: domain/incarnation.ts, dispatcher/lifecycle.ts, db/queries/fleet/**, dispatcher/heartbeats.ts
// Final: its verdict is about what was sent during a hold.
import { beforeEach, describe, expect, it } from "vitest";
import { holdForOperator } from "#db/queries/fleet/holds.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { pretendTimeline } from "../../helpers/incarnations.ts";
import { type OverdueFleet, withOverdueSchedules } from "../../helpers/overdue-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let harness: DispatchHarness;
let fleet: OverdueFleet;

withOverdueSchedules((made) => {
  ({ harness, fleet } = made);
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
    await fleet.expectNothingSent([dispatcher]);
    expect(dispatcher.held()).toContain("an older timeline");
    await fleet.sendAll();
    await fleet.expectAllSent();
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
    await fleet.expectAllSent();
  });

  it("sends nothing once a snapshot from before its last heartbeats is in place, which a new one could not tell from a crash", async () => {
    const dispatcher = await harness.dispatcher();
    await waitFor("it delivers", () => dispatcher.figures().owned === 64);
    await harness.sql.begin(async (tx) => {
      // Waits until a heartbeat in flight is stored.
      await tx`LOCK TABLE heartbeats IN ACCESS EXCLUSIVE MODE`;
      await tx`UPDATE heartbeats SET beat_at = beat_at - interval '5 minutes'`;
      await tx`UPDATE schedules SET next_attempt_at = now()`;
    });
    await waitFor("it has noticed", () => dispatcher.held() !== null);
    await fleet.expectNothingSent([dispatcher]);
    await fleet.sendAll();
    await fleet.expectAllSent();
  });

  it("ends the hold of a starting one when it finds its own last heartbeat: the failover was slow, and nothing was lost", async () => {
    const living = await harness.dispatcher();
    await waitFor("it delivers", () => living.figures().owned === 64);
    await harness.sql`INSERT INTO holds (reason) VALUES ('restored')`;
    await makeDue();
    await fleet.expectAllSent();
    // What was due may have left before its next heartbeat, which finds the hold.
    const choice = async () => (await harness.sql`SELECT choice FROM holds`)[0]?.choice;
    await waitFor("the hold has ended", async () => (await choice()) !== null);
    expect(await choice()).toBe("continued");
  });

  it("stops sending when an operator holds the database, and does not end that hold", async () => {
    const dispatcher = await harness.dispatcher();
    await waitFor("it delivers", () => dispatcher.figures().owned === 64);
    await holdForOperator(harness.sql);
    await waitFor("it has noticed", () => dispatcher.held() !== null);
    await makeDue();
    await fleet.expectNothingSent([dispatcher]);
    await fleet.sendAll();
    await fleet.expectAllSent();
  });
});
