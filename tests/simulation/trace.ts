import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ADVERSARIES } from "../chaos/adversaries/adversaries.ts";
import type { Behaviour } from "../chaos/behaviour.ts";
import type { ClientEntry, Evidence, Injected } from "../chaos/evidence.ts";
import { lateWindows, type Window } from "../chaos/excuses.ts";
import type { PartitionMode, RunOptions } from "../chaos/plan.ts";
import { createRandom } from "../helpers/random.ts";

/** What happened in a chaos run, for a replay. Instants count from the beginning of its load, ms. */
export type Trace = {
  dispatchers: number;
  bounds: Evidence["bounds"];
  retryPolicy: Evidence["retryPolicy"];
  accounts: { shard: number; cpsLimit: number | null; group: string }[];
  /** When faults may have made any request late. */
  windows: Window[];
  /** In the order of their instants. */
  events: TraceEvent[];
};

export type TraceEvent = { atMs: number } & (
  | {
      did: "create";
      n: number;
      account: number;
      dueMs: number;
      origin: string;
      behaviour: Behaviour;
      hangsUntilMs?: number;
    }
  | { did: "cancel"; n: number }
  | { did: "move"; n: number; dueMs: number }
  | { did: "activate" | "deactivate"; group: string }
  | { did: "start" | "kill" | "terminate"; slot: number }
  | { did: "pause"; slot: number; forMs: number }
  | { did: "partition"; slot: number; forMs: number; mode: PartitionMode; share: number; isReset: boolean }
  | { did: "postgres" | "snapshot"; forMs: number }
);

type Run = Pick<Evidence, (typeof RUN)[number]> & { options: RunOptions };

const RUN = ["startedAtMs", "client", "injected", "attacks", "lifetimes", "bounds", "retryPolicy"] as const;
const PARTS = new Set<string>(["options", ...RUN, "trace", "events"]);

/** The beginning of the name of an origin that nobody can connect to. */
export const SILENT = "silent";

/** Reads the evidence of a chaos run, or a trace that `linesOfTrace` wrote. */
export async function readTrace(file: string): Promise<Trace> {
  const run: Record<string, unknown> = { client: [], injected: [], attacks: [], lifetimes: [], events: [] };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, part = ""] = /^\{"(\w+)"/.exec(line) ?? [];
    if (!PARTS.has(part)) continue;
    const value = JSON.parse(line, withInfinity)[part];
    const list = run[part];
    if (Array.isArray(list)) list.push(value);
    else run[part] = value;
  }
  if (run.options) return traceOf(run as Run);
  return { ...(run.trace as Trace), events: run.events as TraceEvent[] };
}

/** JSON has no Infinity. */
const withInfinity = (key: string, value: unknown) =>
  key === "untilMs" && value === null ? Number.POSITIVE_INFINITY : value;

/** What a chaos run did, without ids and addresses. What it does not say is in README.md. */
export function traceOf({
  options,
  startedAtMs,
  client,
  injected,
  attacks,
  lifetimes,
  bounds,
  retryPolicy,
}: Run): Trace {
  const since = (atMs: number) => Math.round((atMs - startedAtMs) * 10) / 10;
  const accounts = new Map<string, number>();
  const origins = new Map<string, number>();
  const groups: Trace["accounts"] = [];
  const events: TraceEvent[] = [];
  const endOf = ({ group, fireAtMs }: ClientEntry) =>
    attacks.find(({ adversary, fromMs, untilMs }) => adversary === group && fromMs <= fireAtMs && fireAtMs <= untilMs)
      ?.untilMs;
  for (const [n, entry] of client.filter(isReplayed).entries()) {
    const account = numberOf(accounts, entry.accountId);
    groups[account] ??= accountOf(entry);
    const { behaviour, fireAtMs, acknowledgedAtMs, changes } = entry;
    const kind = new URL(entry.origin).hostname.startsWith("host-") ? SILENT : "origin";
    const hangsUntilMs = endOf(entry);
    events.push({
      ...{ atMs: since(acknowledgedAtMs), did: "create", n, account, dueMs: since(fireAtMs), behaviour },
      origin: `${kind}-${numberOf(origins, entry.origin)}`,
      ...(hangsUntilMs !== undefined && behaviour.includes("hang") && { hangsUntilMs: since(hangsUntilMs) }),
    });
    for (const change of changes) {
      const atMs = since(change.askedAtMs);
      if (change.fireAtMs === null) events.push({ atMs, did: "cancel", n });
      else events.push({ atMs, did: "move", n, dueMs: since(change.fireAtMs) });
    }
  }
  for (const { adversary, fromMs, untilMs } of attacks) {
    const steps = ADVERSARIES.find(({ name }) => name === adversary)?.steps(createRandom(0), untilMs - fromMs) ?? [];
    for (const { kind, atMs } of steps)
      if (kind === "deactivate" || kind === "activate")
        events.push({ atMs: since(fromMs + atMs), did: kind, group: adversary });
    events.push({ atMs: since(untilMs), did: "activate", group: adversary });
  }
  for (const { slot, fromMs } of lifetimes)
    if (fromMs > startedAtMs) events.push({ atMs: since(fromMs), did: "start", slot });
  for (const fault of injected) events.push(...eventsOf(fault, since));
  // Without the first one, which is for a fleet that has just been started.
  const [, ...late] = lateWindows({ startedAtMs, injected });
  return {
    dispatchers: options.dispatchers,
    ...{ bounds, retryPolicy },
    accounts: groups,
    windows: late.map(({ fromMs, untilMs }) => ({ fromMs: since(fromMs), untilMs: since(untilMs) })),
    events: events.sort((a, b) => a.atMs - b.atMs),
  };
}

/** Whether what became of an occurrence follows from its instant alone, and not from its recurrence. */
const isReplayed = ({ group, changes }: ClientEntry) => group !== "recurrence" || changes.length === 0;

function accountOf({ accountId, group }: ClientEntry): Trace["accounts"][number] {
  const adversary = ADVERSARIES.find(({ name }) => name === group);
  // The last six bits of an account's id are its shard.
  const shard = Number.parseInt(accountId.slice(-2), 16) & 63;
  return { shard, cpsLimit: adversary?.cpsLimit ?? null, group: group === "recurrence" ? "ordinary" : group };
}

function eventsOf({ kind, slot, fromMs, untilMs, note }: Injected, since: (atMs: number) => number): TraceEvent[] {
  const [atMs, forMs] = [since(fromMs), Math.round(untilMs - fromMs)];
  switch (kind) {
    case "kill":
    case "terminate":
      return slot === null ? [] : [{ atMs, did: kind, slot }];
    case "pause":
      return slot === null ? [] : [{ atMs, did: "pause", slot, forMs }];
    case "partition": {
      const [, mode, percent, healing] = /^([\w-]+), (\d+) %, then (\w+)$/.exec(note) ?? [];
      if (slot === null) return [];
      const how = { mode: mode as PartitionMode, share: Number(percent) / 100, isReset: healing === "reset" };
      return [{ atMs, did: "partition", slot, forMs, ...how }];
    }
    case "postgres":
      return [{ atMs, did: kind, forMs }];
    case "snapshot":
      return [{ atMs, did: kind, forMs: Number.isFinite(forMs) ? forMs : SNAPSHOT_MS }];
    case "sessions":
      return [];
  }
}

/** A snapshot is held until the run ends. */
const SNAPSHOT_MS = 600_000;

function numberOf(all: Map<string, number>, key: string): number {
  const known = all.get(key) ?? all.size;
  all.set(key, known);
  return known;
}

/** The lines of a file that `readTrace` reads. */
export function* linesOfTrace({ events, ...trace }: Trace): Generator<string> {
  yield `${JSON.stringify({ trace })}\n`;
  for (const event of events) yield `${JSON.stringify({ events: event })}\n`;
}
