import { expect, it } from "vitest";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import { Preparer } from "#dispatcher/sending/preparer.ts";
import { secretAad } from "#domain/associated-data.ts";
import { parseKeyRing, seal } from "#domain/cipher.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { claimedSchedule } from "#tests/helpers/claimed-schedule.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const NOW_MS = 1_000_000;
const ACCOUNT = "01890a5d-ac96-774b-bcce-b302099a8057";
const keyRing = parseKeyRing(`test:${Buffer.alloc(32, 1).toString("base64")}`);
const secret = seal(keyRing, Buffer.from(generateSigningSecret()), secretAad(ACCOUNT, "live")).toString("base64");

/** Has a preparer take one claimed delivery for each of `dueAtMs`. Returns how many are prepared so far. */
function prepare(dueAtMs: number[]): () => number {
  const clock = { now: () => NOW_MS, monotonic: () => NOW_MS } as never;
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 1 });
  const preparer = new Preparer({ deliveries, keyRing, userAgent: "test", clock, alarm: { at() {}, run() {} } });
  deliveries.connect(
    { claimed: (delivery) => preparer.add(delivery) },
    { bytes() {}, slot() {}, connection() {}, memory() {} },
  );
  for (const [n, ms] of dueAtMs.entries()) {
    const id = `01890a5d-ac96-774b-bcce-${String(n).padStart(12, "0")}`;
    const delivery = deliveries.add(dueSchedule({ id, dueAtMs: ms, origin: "https://example.com", bytes: 0 }), 0);
    for (const state of ["awaiting slot", "admitted", "claiming"] as const) deliveries.move(delivery, state);
    const row = claimedSchedule({ id, accountId: ACCOUNT, currentSecret: secret, fireAtMs: ms, dueAtMs: ms });
    delivery.claim = { row, startedAtMs: NOW_MS, durationMs: 1 };
    deliveries.move(delivery, "claimed");
  }
  return () => deliveries.count("prepared");
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("requests that leave in over 25 ms are prepared eight in a turn of the event loop, so that others leave in between", async () => {
  const prepared = prepare(Array.from({ length: 20 }, () => NOW_MS + 100));
  await Promise.resolve();
  expect(prepared()).toBe(8);
  await turn();
  expect(prepared()).toBe(16);
  await turn();
  expect(prepared()).toBe(20);
});

it("requests that are due or leave within 25 ms are all prepared at once", async () => {
  const prepared = prepare(Array.from({ length: 100 }, (_, n) => NOW_MS + 25 - n));
  await Promise.resolve();
  expect(prepared()).toBe(100);
});
