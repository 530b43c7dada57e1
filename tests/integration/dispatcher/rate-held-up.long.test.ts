// Guards: dispatcher/rates/**, dispatcher/sending/**
// Final: its verdict is about how many requests were sent in a second.
import { expect, it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { mostInOneSecond, noteFirstBytes } from "../../helpers/first-bytes.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

// That a rate holds over all owners of a lane is tested in tests/simulation.

const CPS = 20;
/** How long the process is blocked between its last check and its write. */
const HELD_UP_MS = 40;

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});

it("an account's rate holds for the first bytes of a process that is blocked between its last check and its write", async () => {
  const firstBytes = await noteFirstBytes({ holdUpMs: HELD_UP_MS });
  try {
    const { id } = await harness.account({ settings: { cps_limit: CPS } });
    const rows = { rows: 20 * CPS, fromMs: -600_000, everyMs: 250 };
    await insertSchedules(harness.sql, [id], new URL(`/${id}`, receiver.origin), rows);
    harness.spawn(firstBytes.options);
    await waitFor("it has sent for some seconds", async () => (await firstBytes.read()).length >= 5 * CPS);
    const sent = await firstBytes.read();
    expect(mostInOneSecond(sent.map(({ beganAtMs }) => beganAtMs))).toBeLessThanOrEqual(CPS);
    expect(new Set(sent.map(({ path }) => path))).toEqual(new Set([`/${id}`]));
  } finally {
    await firstBytes.remove();
  }
});
