import type { Database } from "#db/client.ts";
import type { OpenHold } from "#db/queries/fleet/standing.ts";
import { countChoices } from "#db/queries/reconcile/cancel-due-before.ts";
import type { Standing } from "#domain/incarnation.ts";
import { formatInstant } from "#domain/instant.ts";
import type { Answer } from "./report.ts";

const DEADLINE_MS = 300_000;

type Facts = { hold: OpenHold; newest: Standing["newest"]; nowMs: number };

/**
 * The answers to the question when the former service stopped sending, each with the option that it asks for. A dispatcher that
 * lived through the restore knows the last heartbeat before it, which the database lacks.
 */
export async function readAnswers(database: Database, { hold, newest, nowMs }: Facts): Promise<Answer[]> {
  const knownMs = hold.newestBeatAtMs;
  const isKnown = knownMs !== null && (newest === null || knownMs > newest.atMs);
  const atMs = isKnown ? Math.ceil(knownMs) : null;
  const [all, from, overdue, open] = await countFor(database, { hold, nowMs }, [
    Number.NEGATIVE_INFINITY,
    atMs ?? Number.NEGATIVE_INFINITY,
    nowMs,
    Number.POSITIVE_INFINITY,
  ]);
  const since = knownMs === null ? "" : `, whose newest heartbeat is of ${formatInstant(knownMs)}`;
  return [
    {
      stopped: `It has sent nothing since this copy was made${isKnown ? "" : since}`,
      option: "--send-all",
      counts: all ?? null,
    },
    atMs === null
      ? { stopped: "At an instant that you know, INSTANT", option: "--send-from INSTANT", counts: null }
      : {
          stopped: `At ${formatInstant(atMs)}, when a dispatcher sent its last heartbeat before it found this database, or at another instant that you know`,
          option: `--send-from ${formatInstant(atMs)}`,
          counts: from ?? null,
        },
    { stopped: "Just now", option: "--cancel-overdue", counts: overdue ?? null },
    { stopped: "It still sends: this is a copy beside it", option: "--cancel-all", counts: open ?? null },
  ];
}

/** What is cancelled and sent for each instant before which what was due is cancelled. Without a hold, it would begin now. */
export function countFor(
  database: Database,
  { hold, nowMs }: { hold: OpenHold | null; nowMs: number },
  dueBeforeMs: readonly number[],
): Promise<{ sends: number; cancels: number }[]> {
  const heldSinceMs = hold?.beganAtMs ?? nowMs;
  return database.run(DEADLINE_MS, ({ sql }) => countChoices(sql, { nowMs, heldSinceMs, dueBeforeMs }));
}
