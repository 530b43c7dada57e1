import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import { findOvertaken } from "#tests/helpers/overtaken.ts";
import type { StoredSchedule } from "./store.ts";
import type { Actor, World } from "./world.ts";

/** A request is late this long after it was due, ms. */
const LATE_MS = 100;

/** A request as it left. Instants are epoch ms. */
export type Sent = {
  scheduleId: string;
  accountId: string;
  origin: string;
  attempt: number;
  by: Actor;
  /** When it was to leave. */
  dueAtMs: number;
  isRetry: boolean;
  /** Nothing could have sent it earlier: it was due when it was stored, or its account was not active. */
  isExcused: boolean;
  atMs: number;
  answeredAtMs: number | null;
};

/** What the targets saw, in the order of first bytes of each dispatcher. */
export class Ledger {
  readonly #world: World;
  readonly sentRequests: Sent[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  sent(row: ClaimedSchedule, origin: string, by: Actor): Sent {
    const sent: Sent = {
      ...{ scheduleId: row.id, accountId: row.accountId, origin, attempt: row.attempt, by },
      ...{ dueAtMs: row.dueAtMs, isRetry: row.failures > 0, isExcused: row.isDueWhenAsked || row.heldBack },
      ...{ atMs: this.#world.now(), answeredAtMs: null },
    };
    this.sentRequests.push(sent);
    return sent;
  }
}

/** Lateness of first attempts, ms, in order. */
export function latenessOf(sent: readonly Sent[]): number[] {
  return sent
    .filter(({ attempt, isExcused }) => attempt === 1 && !isExcused)
    .map(({ atMs, dueAtMs }) => atMs - dueAtMs)
    .sort((a, b) => a - b);
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Requests that left before they were due. */
export const early = (sent: readonly Sent[]): Sent[] => sent.filter(({ atMs, dueAtMs }) => atMs < dueAtMs);

/** Second requests of one attempt. */
export function doubled(sent: readonly Sent[]): Sent[] {
  const seen = new Set<string>();
  return sent.filter(({ scheduleId, attempt }) => {
    const key = `${scheduleId} ${attempt}`;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
}

/** The most first bytes of each account within any second. */
export function mostInASecond(sent: readonly Sent[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const [accountId, of] of Map.groupBy(sent, (one) => one.accountId)) {
    of.sort((a, b) => a.atMs - b.atMs);
    let from = 0;
    for (const [n, { atMs }] of of.entries()) {
      while ((of[from] as Sent).atMs <= atMs - 1_000) from++;
      most.set(accountId, Math.max(most.get(accountId) ?? 0, n - from + 1));
    }
  }
  return most;
}

/**
 * Requests that left `byMs` or more behind one of the same account and origin that was due after them. Retries are left out, and
 * what was due when it was stored. As in chaos, a request is overtaken only if it was late when the other one left.
 */
export function overtaken(sent: readonly Sent[], byMs: number): { later: Sent; earlier: Sent }[] {
  const first = sent.filter(({ isRetry, isExcused }) => !isRetry && !isExcused);
  const requests = first.map((of) => ({
    ...{ of, flow: `${of.accountId} ${of.origin}`, dueAtMs: of.dueAtMs },
    ...{ sentAtMs: of.atMs, mayNotWaitFromMs: of.dueAtMs + LATE_MS },
  }));
  return findOvertaken(requests, byMs).map(({ earlier, later }) => ({ earlier: earlier.of, later: later.of }));
}

/** Schedules that have not come to an end. */
export const unfinished = (schedules: Iterable<StoredSchedule>): StoredSchedule[] =>
  [...schedules].filter(({ status }) => !["succeeded", "dead", "cancelled"].includes(status));
