import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { preciseNow } from "#scripts/lab/clock.ts";
import { listenForStop, Stopped } from "#scripts/stop-signal.ts";
import { pause } from "../helpers/time.ts";
import { RETRY_POLICY } from "./accounts.ts";
import type { Evidence } from "./evidence.ts";
import { BOUNDS, type Harness, startHarness } from "./harness.ts";
import { linesOf } from "./lines.ts";
import { makePlan, type Plan, type RunOptions } from "./plan.ts";
import { occurrenceEntries } from "./recurrence-judge.ts";
import { countInjected, report } from "./report.ts";
import { countOpen, readSnapshot } from "./snapshot.ts";
import { verdictOf } from "./verdict.ts";

/** Time for a lease of 35 s, the pause before recovery, and a slow repeat with its retries. */
const SETTLE_MS_MAX = 90_000;
const PROGRESS_EVERY_MS = 5_000;

/**
 * Runs the plan of a seed with a database and processes of its own, and prints the verdict. Returns the exit code.
 * After a violation, or with `keepAlways`, the ledgers and the dispatchers' logs are kept, and their folder is printed.
 */
export async function runChaos(options: RunOptions, keepAlways = false): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-chaos-"));
  // PostgreSQL runs as another user when this process runs as root.
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  const logDir = join(folder, "logs");
  await mkdir(logDir);
  const cleanUps: (() => unknown)[] = [];
  const stop = listenForStop(() => process.exit(130));
  const stopped = new Promise<never>((_, reject) => {
    stop.addEventListener("abort", () => reject(stop.reason), { once: true });
  });
  let keep = false;

  console.log(`seed ${options.seed}: setting up`);
  const setting = startHarness(options, folder, logDir, cleanUps);
  const work = async () => {
    const harness = await setting;
    const startedAtMs = preciseNow();
    await carryOut(
      makePlan(options),
      harness,
      { startedAtMs, untilMs: startedAtMs + options.seconds * 1_000 },
      cleanUps,
    );
    const evidence = await gather(harness, startedAtMs);
    const verdict = verdictOf(evidence);
    const { troubles } = harness.fleet;
    console.log(`\n${report(options, evidence, verdict, harness.client.counts, troubles)}`);
    const failed = verdict.violations.length + troubles.length > 0;
    keep = failed || keepAlways;
    if (keep) {
      const file = join(folder, "evidence.jsonl");
      await writeFile(file, linesOf({ options, verdict, ...evidence }));
      console.log(`\nThe evidence is in ${file}, the dispatchers' logs in ${logDir}.`);
    }
    return failed ? 1 : 0;
  };

  try {
    return await Promise.race([work(), stopped]);
  } catch (error) {
    if (error instanceof Stopped) return 130;
    throw error;
  } finally {
    // Wait for the set-up to end before cleaning up, even when it fails.
    await setting.catch(() => {});
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    await rm(keep ? join(folder, "data") : folder, { recursive: true, force: true });
  }
}

/** Creates and injects as planned, then waits until everything has come to rest, and stops the dispatchers in order. */
async function carryOut(
  plan: Plan,
  { receiver, cluster, fleet, client, owner, injector, attackers, startRules, control, sockets }: Harness,
  { startedAtMs, untilMs }: { startedAtMs: number; untilMs: number },
  cleanUps: (() => unknown)[],
) {
  const startedAt = performance.now();
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      `${seconds} s: ${client.ledger.length} created, ${receiver.arrivals.length} requests ended, ${attackers.active()} adversaries and ${injector.active()} faults active, injected so far: ${countInjected(injector.injected)}`,
    );
  }, PROGRESS_EVERY_MS);
  cleanUps.push(() => clearInterval(progress));
  client.start(plan.creations);
  for (const [n, one] of plan.recurrences.entries()) client.later(one.atMs, () => owner.run(one, n, untilMs));
  for (const { atMs, account, orders } of plan.control)
    client.later(atMs, () => client.createMany("control", control[account] as string, startedAtMs, orders));
  client.later(0, startRules);
  attackers.start(plan.attacks);
  await Promise.race([Promise.all([injector.run(plan.faults), client.finish()]), client.failed]);
  await settle(cluster.url());
  sockets.stop();
  await fleet.finishAudits();
  await fleet.stop();
  await receiver.finish();
  clearInterval(progress);
}

/** Waits until no schedule may change by itself any more, or until the time limit. */
async function settle(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const end = performance.now() + SETTLE_MS_MAX;
  while ((await countOpen(sql)) > 0 && performance.now() < end) await pause(250);
  await sql.end();
}

async function gather(harness: Harness, startedAtMs: number): Promise<Evidence> {
  const { receiver, cluster, fleet, client, owner, injector, attackers, sockets } = harness;
  const sql = postgres(cluster.url(), { max: 1, onnotice: () => {} });
  const { dispatchers, ...snapshot } = await readSnapshot(sql);
  await sql.end();
  const slots = new Map(fleet.lifetimes.map(({ pid, slot }) => [pid, slot]));
  return {
    ...snapshot,
    startedAtMs,
    client: [...client.ledger, ...occurrenceEntries({ ...snapshot, recurring: owner.ledger })],
    recurring: owner.ledger,
    arrivals: receiver.arrivals,
    processes: dispatchers.map(({ id, pid }) => ({ dispatcherId: id, pid, slot: slots.get(pid) ?? -1 })),
    injected: injector.injected,
    audits: fleet.audits,
    attacks: attackers.attacks,
    lifetimes: fleet.lifetimes,
    socketCounts: receiver.socketCounts,
    processSockets: sockets.found,
    bounds: BOUNDS,
    retryPolicy: RETRY_POLICY,
  };
}
