import { join } from "node:path";
import { readLauncherConfig } from "#config.ts";
import { assertSession } from "#db/assert-session.ts";
import { connect, type Database } from "#db/client.ts";
import { endHold, holdForOperator } from "#db/queries/fleet/holds.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { type OpenHold, readStanding } from "#db/queries/fleet/standing.ts";
import { readPending } from "#db/queries/reconcile/pending.ts";
import { skipInstantsBefore } from "#db/queries/reconcile/recurrences.ts";
import { countRunningReplays, stopReplays } from "#db/queries/reconcile/replays.ts";
import { lockKey } from "#db/schema-of-installation.ts";
import { DIRECT_SESSION } from "#db/sessions.ts";
import { formatInstant, parseInstant } from "#domain/instant.ts";
import { command, UsageError } from "../command.ts";
import { confirm } from "../confirm.ts";
import { count } from "../count.ts";
import { holdIfRestored } from "../postgres/restored.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";
import { createProgress } from "../progress.ts";
import { countFor, readAnswers } from "../reconcile/answers.ts";
import { cancelDue, untilNobodySends } from "../reconcile/cancel.ts";
import { describeCounts, reportLines } from "../reconcile/report.ts";
import { SetupError } from "../setup-error.ts";

type Options = {
  hold?: boolean;
  "send-all"?: boolean;
  "send-from"?: string;
  "cancel-overdue"?: boolean;
  "cancel-all"?: boolean;
  yes?: boolean;
};

/** What to do. `sendFromMs` is null when everything is sent, and Infinity when everything is cancelled. */
type Choice = { sendFromMs: (nowMs: number) => number | null };

const DEADLINE_MS = 10_000;
const REPORT_DEADLINE_MS = 300_000;
const ACCOUNTS_SHOWN = 50;
const ADVISORY_LOCK = lockKey(7_867_003);

await command<Options>({
  usage: `Usage: npm run reconcile
       npm run reconcile -- --hold
       npm run reconcile -- --send-all | --send-from INSTANT | --cancel-overdue | --cancel-all [--yes]

Decides what is sent after a restore. A restored database, a copy beside another one, and a former primary that came back
still have schedules that were sent already. Dispatchers that notice this send nothing until you choose here, and go on by
themselves then.

Without an option it shows what is pending, by account and by how long ago it fell due, and what each choice cancels and
sends. It changes nothing then.

  --hold               sends nothing until you choose: after every restore, before the dispatchers start, since not each
                       can be told from a crash
  --send-all           sends everything that is overdue, at once
  --send-from INSTANT  for a former service that sent until INSTANT (such as 2031-01-01T00:00:00Z): cancels what was due
                       before it, stops operations that replay schedules since before it, makes nothing of earlier
                       instants of recurrences, and sends the rest
  --cancel-overdue     cancels everything that is overdue now, and sends what falls due from now on
  --cancel-all         cancels everything that is pending, also what is due later, and pauses recurrences: for a copy beside a
                       service that goes on
  --yes                does not ask

What was created, moved or fired since the hold began is sent in any case. The others that are cancelled have "cancelled by
reconcile" as their last_error. An interrupted run can be repeated: the hold ends
when all is done. Without DATABASE_URL it uses the embedded database.`,
  options: {
    hold: { type: "boolean" },
    "send-all": { type: "boolean" },
    "send-from": { type: "string" },
    "cancel-overdue": { type: "boolean" },
    "cancel-all": { type: "boolean" },
    yes: { type: "boolean" },
  },
  async run(options) {
    const choice = readChoice(options);
    const { databaseDirectUrl, dataDir } = readLauncherConfig();
    const work = (url: string) => connected(url, (database) => reconcile(database, options, choice));
    return databaseDirectUrl
      ? work(databaseDirectUrl)
      : withEmbeddedPostgres(dataDir, (url) => onEmbedded(dataDir, url, work));
  },
});

/** A backup that was not started yet is held first, as npm start does. */
async function onEmbedded<T>(dataDir: string, url: string, work: (url: string) => Promise<T>): Promise<T> {
  await holdIfRestored(join(dataDir, "postgres"), url);
  return work(url);
}

/** Undefined when the operator only looks, or holds. */
function readChoice(options: Options): Choice | undefined {
  const { hold, "send-all": all, "send-from": from, "cancel-overdue": cancel, "cancel-all": cancelAll } = options;
  if ([hold, all, from !== undefined, cancel, cancelAll].filter(Boolean).length > 1)
    throw new UsageError("--hold, --send-all, --send-from, --cancel-overdue and --cancel-all exclude each other.");
  if (all) return { sendFromMs: () => null };
  if (cancelAll) return { sendFromMs: () => Number.POSITIVE_INFINITY };
  if (cancel) return { sendFromMs: (nowMs) => nowMs };
  if (from === undefined) return undefined;
  const fromMs = parseInstant(from);
  if (fromMs === null)
    throw new UsageError(`--send-from ${from}: expected an instant with its offset, such as 2031-01-01T00:00:00Z.`);
  return {
    sendFromMs(nowMs) {
      if (fromMs > nowMs)
        throw new UsageError(
          `--send-from ${from} is in the future (it is ${formatInstant(nowMs)}): nobody sent what is due later.`,
        );
      return fromMs;
    },
  };
}

async function connected(url: string, work: (database: Database) => Promise<number>): Promise<number> {
  await assertSession(url, DIRECT_SESSION);
  // One connection, to which the advisory lock belongs.
  const database = connect({ url, name: "stopwatch reconcile", connectionsMax: 1 });
  try {
    await database.run(DEADLINE_MS, ({ sql }) => assertSchemaFits(sql));
    return await work(database);
  } finally {
    await database.close();
  }
}

async function reconcile(database: Database, options: Options, choice: Choice | undefined): Promise<number> {
  if (options.hold) {
    const { beganAtMs } = await held(database);
    console.log(`Held since ${formatInstant(beganAtMs)}: nothing is sent. Run "npm run reconcile" and choose.`);
    return 0;
  }
  const { hold, nowMs } = await report(database);
  if (!choice) return 0;
  const sendFromMs = choice.sendFromMs(nowMs);
  const [counts] = await countFor(database, { hold, nowMs }, [sendFromMs ?? Number.NEGATIVE_INFINITY]);
  const what = `${describeChoice(sendFromMs)} This ${describeCounts(counts ?? { sends: 0, cancels: 0 })}.`;
  if (options.yes) console.log(`\n${what}`);
  else if (!(await confirm(`${what} Go on?`))) {
    console.log("Nothing was changed.");
    return 1;
  }
  await takeTurn(database);
  await apply(database, sendFromMs);
  return 0;
}

function describeChoice(sendFromMs: number | null): string {
  if (sendFromMs === null) return "Send everything that is overdue, although some of it may have been sent already.";
  if (sendFromMs === Number.POSITIVE_INFINITY) return "Cancel everything that is pending, also what is due later.";
  return `Cancel what was due before ${formatInstant(sendFromMs)}, and send the rest.`;
}

/** Prints what is pending, and what each choice does. Returns the hold and the database's time, epoch ms. */
async function report(database: Database): Promise<{ hold: OpenHold | null; nowMs: number }> {
  const { standing, hold } = await database.run(DEADLINE_MS, ({ sql }) => readStanding(sql, null));
  const nowMs = Math.floor(standing.nowMs);
  const pending = await database.run(REPORT_DEADLINE_MS, ({ sql }) =>
    readPending(sql, { nowMs, limit: ACCOUNTS_SHOWN }),
  );
  const replays = await database.run(DEADLINE_MS, ({ sql }) => countRunningReplays(sql));
  const answers = hold ? await readAnswers(database, { hold, newest: standing.newest, nowMs }) : [];
  for (const line of reportLines({ hold, pending, replays, nowMs, answers })) console.log(line);
  return { hold, nowMs };
}

async function takeTurn(database: Database): Promise<void> {
  const [row] = await database.run(DEADLINE_MS, ({ sql }) =>
    sql.unsafe(`SELECT pg_try_advisory_lock(${ADVISORY_LOCK}) AS mine`),
  );
  if (!row?.mine)
    throw new SetupError("Another npm run reconcile is at work in this database: wait until it has ended.");
}

async function apply(database: Database, sendFromMs: number | null): Promise<void> {
  const hold = await held(database);
  if (sendFromMs !== null) {
    await untilNobodySends(database);
    const stopped = await database.run(DEADLINE_MS, ({ sql }) => stopReplays(sql, sendFromMs));
    if (stopped > 0) console.log(`Stopped ${count(stopped)} operations that replay schedules.`);
    const skipping = await database.run(DEADLINE_MS, ({ sql }) => skipInstantsBefore(sql, sendFromMs));
    if (skipping > 0) console.log(`${count(skipping)} recurrences ${skipWords(sendFromMs)}.`);
    const due = { dueBeforeMs: sendFromMs, heldSinceMs: hold.beganAtMs };
    const progress = createProgress(process.stdout);
    const onProgress = (cancelled: number) => progress.show(`${count(cancelled)} cancelled`);
    const cancelled = await cancelDue(database, due, onProgress).finally(() => progress.end());
    console.log(`Cancelled ${count(cancelled)} schedules.`);
  }
  const choice = sendFromMs === null ? "send_all" : "send_from";
  await database.run(DEADLINE_MS, ({ sql }) => endHold(sql, hold.id, { choice, sendFromMs }));
  console.log("The hold has ended. Dispatchers go on by themselves.");
}

function skipWords(sendFromMs: number): string {
  return sendFromMs === Number.POSITIVE_INFINITY ? "are paused" : "make nothing of what they missed before";
}

function held(database: Database): Promise<OpenHold> {
  return database.run(DEADLINE_MS, ({ sql }) => holdForOperator(sql));
}
