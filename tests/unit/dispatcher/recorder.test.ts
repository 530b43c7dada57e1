import pino from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { readConfig } from "#config.ts";
import { type Database, DatabaseUnavailable } from "#db/client.ts";
import type { ExpiredClaim } from "#db/queries/schedules/expired-claims.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { OutageWatch } from "#dispatcher/recording/outage-watch.ts";
import { ANSWER_BYTES_MAX, Recorder } from "#dispatcher/recording/recorder.ts";
import { INTERRUPTED_MAX, Recovery } from "#dispatcher/recording/recovery.ts";
import { newId } from "#domain/ids.ts";
import { claimedSchedule } from "#tests/helpers/claimed-schedule.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";

/** The longest part of an answer that is kept, in characters. */
const ANSWER = "x".repeat(8 * 1024);
const ROUNDS = 10;

const clock = { now: () => 1_000, monotonic: () => 0 };
const recorders: Recorder[] = [];
afterEach(async () => {
  for (const recorder of recorders.splice(0)) await recorder.close();
});

const databaseOf = (run: () => Promise<unknown>): Database => ({ run: run as Database["run"], close: async () => {} });
const AWAY = databaseOf(() => Promise.reject(new DatabaseUnavailable(new Error("away"))));

/** A recorder whose database is away, and the deliveries it takes. */
function start() {
  const { keyRing, plans } = readConfig({
    DATABASE_URL: "postgres://127.0.0.1/none",
    ENCRYPTION_KEYS,
  });
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 1 });
  const recorder = new Recorder({
    inFlightMax: 2,
    database: AWAY,
    deliveries,
    clock,
    keyRing,
    plans,
    sendQueue: { isBehind: () => false },
    idsToRead: { add() {} },
    metrics: new Metrics(),
    log: pino({ level: "silent" }),
  });
  deliveries.connect(
    { recording: (delivery) => recorder.add(delivery) },
    { bytes() {}, slot() {}, connection() {}, memory() {} },
  );
  recorders.push(recorder);
  return { deliveries, recorder };
}

/** A delivery that was rejected with `ANSWER`. */
function reject(deliveries: Deliveries, id: string) {
  const delivery = deliveries.add(dueSchedule({ id, dueAtMs: 0, origin: "https://example.com", bytes: 0 }), 0);
  for (const state of ["awaiting slot", "admitted", "claiming"] as const) deliveries.move(delivery, state);
  delivery.claim = { row: claimedSchedule({ id }), startedAtMs: 0, durationMs: 0 };
  deliveries.move(delivery, "claimed");
  const outcome = { kind: "rejected", statusCode: 500, retryAfter: undefined } as const;
  deliveries.end(delivery, outcome, { attemptedAtMs: 0, body: ANSWER });
  return delivery;
}

describe("while the database is away, the recorder", () => {
  it("keeps every outcome, and as many of their answers as fit into memory", () => {
    const { deliveries, recorder } = start();
    const fit = ANSWER_BYTES_MAX / (2 * ANSWER.length);
    const rejected = Array.from({ length: fit + 100 }, (_, n) => reject(deliveries, `id-${n}`));
    expect(recorder.pending()).toBe(fit + 100);
    expect(recorder.answerBytes()).toBe(ANSWER_BYTES_MAX);
    expect(rejected.filter(({ result }) => result?.body === ANSWER)).toHaveLength(fit);
  });

  it("reads no more lost attempts than it may hold", async () => {
    const { recorder } = start();
    const expired = (): ExpiredClaim[] =>
      Array.from({ length: 500 }, () => ({
        id: newId(Date.now()),
        version: 2,
        attempt: 1,
        failures: 0,
        interruptions: 0,
        claimedAtMs: 0,
        dueAtMs: 0,
        claimDeadlineMs: 0,
        expiresAtMs: null,
      }));
    const recovery = new Recovery({
      database: databaseOf(async () => expired()),
      recorder,
      shards: { leased: () => [0] },
      outage: new OutageWatch(0),
      clock: { monotonic: () => 0, now: () => 0, sinceStepMs: () => Number.POSITIVE_INFINITY },
    });
    for (let round = 0; round < ROUNDS; round++) await recovery.runOnce();
    expect(recorder.interrupted()).toBe(INTERRUPTED_MAX);
    expect(recorder.pending()).toBe(INTERRUPTED_MAX);
  });
});
