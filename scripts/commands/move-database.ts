import { readLauncherConfig } from "#config.ts";
import { readSchema } from "#db/schema-of-installation.ts";
import { readRestrictedRole } from "#db/service-role.ts";
import { describeDurationProblem, parseDuration } from "#domain/duration.ts";
import { afterFailure, withCleanUp } from "../clean-up.ts";
import { command, UsageError } from "../command.ts";
import { confirm } from "../confirm.ts";
import { count } from "../count.ts";
import { checkHold, checkMigrations, checkMove, type Plan } from "../move/check.ts";
import { conninfoOf, readOneHost } from "../move/conninfo.ts";
import { flip } from "../move/flip.ts";
import { follow } from "../move/follow.ts";
import { namesBoth, nextSteps } from "../move/next-steps.ts";
import { abort, beginCopy, removeFromSource, removeSubscription } from "../move/replicate.ts";
import { close, findSource, openSide, takeTurn } from "../move/servers.ts";
import { isFlipped, type MoveState, readState } from "../move/state.ts";
import { onDatabase } from "../on-database.ts";
import { SetupError } from "../setup-error.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";

type Options = {
  to?: string;
  "source-for-target"?: string;
  wait?: string;
  check?: boolean;
  abort?: boolean;
  yes?: boolean;
};

const WAIT_MS = 10 * 60_000;

await command<Options>({
  usage: `Usage: npm run move-database -- [--to ADDRESS] [--check | --abort] [--yes]

Moves the database of the settings to another server with the same or a newer PostgreSQL, while the service runs. ADDRESS is
an empty database there, of the same name, as its owner; without --to it is that of DATABASE_TARGET_URL or of the file that
DATABASE_TARGET_URL_FILE names, where no other user of the machine reads its password. The data is copied by logical replication; nothing changes for
the service until the last step, the flip, for which it asks. The flip takes a second or two: the old database becomes
read-only, the new one takes over the rest, the rows of both are counted, and the new one takes the writes.

  --check                      checks what the move needs, and changes nothing
  --abort                      takes back what was begun: the old database stays the one that takes writes
  --source-for-target ADDRESS  how the new server reaches the old one, if not by the address of the settings
  --wait 10m                   how long the new one may take to catch up once all is copied, 10m by default
  --yes                        does not ask before the flip

The address of the old database is DATABASE_OWNER_URL, otherwise DATABASE_DIRECT_URL, otherwise DATABASE_URL. Every process has
to name both servers before the flip: DATABASE_URL=postgres://user:password@old:5432,new:5432/stopwatch. Stopped or killed
anywhere, the command continues when it is run again.`,
  options: {
    to: { type: "string" },
    "source-for-target": { type: "string" },
    wait: { type: "string" },
    check: { type: "boolean" },
    abort: { type: "boolean" },
    yes: { type: "boolean" },
  },
  async run(options) {
    const { databaseUrl, databaseDirectUrl, databaseOwnerUrl, databaseTargetUrl } = readLauncherConfig();
    const to = options.to ?? databaseTargetUrl;
    if (to === undefined)
      throw new UsageError(
        "the new database is missing: set DATABASE_TARGET_URL or DATABASE_TARGET_URL_FILE, or give --to postgres://user:password@new:5432/stopwatch",
      );
    if (options.check && options.abort) throw new UsageError("--check and --abort exclude each other.");
    const url = databaseOwnerUrl ?? databaseDirectUrl;
    if (url === undefined || databaseUrl === undefined || databaseDirectUrl === undefined)
      throw new SetupError("DATABASE_URL is missing. The embedded database is upgraded by npm run upgrade-database.");
    const target = await openSide(readTarget(to), "The new database");
    const source = await findSource(url, target).catch(async (error) => {
      await afterFailure(() => close(target));
      throw error;
    });
    const conninfo = options["source-for-target"] ?? readConninfo(source.url);
    const serviceUrls = [...new Set([databaseUrl, databaseDirectUrl])];
    const explainedMove = () =>
      move({ source, target, conninfo, serviceUrls }, options, readWait(options.wait)).catch((error) => {
        throw explained(error);
      });
    return withCleanUp(explainedMove, [() => close(source, target)]);
  },
});

async function move(plan: Plan, options: Options, waitMs: number): Promise<number> {
  const { source, target } = plan;
  await takeTurn(target);
  const state = await readState(source, target);
  if (options.abort) return takeBack(plan, state);
  if (isFlipped(state)) return finish(plan, state);
  if (state.isSourceReadOnly && state.subscription) return flipAndFinish(plan);
  if (!state.subscription) {
    if (state.hasPublication || state.hasSlot)
      throw new SetupError(
        `${source.name} has a replication slot or publication of a move that was begun, perhaps to another server: end it with --abort first.`,
      );
    if (state.isSourceReadOnly)
      throw new SetupError(`${source.name} has default_transaction_read_only = on: end that first.`);
    await checkMove(plan);
  }
  if (options.check) {
    console.log(
      state.subscription
        ? "The move has begun: run it without --check to go on."
        : "Everything that the move needs is there. Nothing was changed.",
    );
    return 0;
  }
  const signal = listenForStop(() => process.exit(130));
  try {
    console.log(`${state.subscription ? "going on with" : "beginning"} the move of ${source.name} to ${target.name}`);
    if (!state.subscription) await begin(plan);
    await follow(plan, { waitMs, signal });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.log(
      `Stopped. ${source.name} takes the writes, and the copy goes on by itself. Run it again to continue, or with --abort.`,
    );
    return 130;
  }
  if (!namesBoth(plan))
    console.log(
      `warning: DATABASE_URL does not name ${target.name}. A process that does not answers 503 from the flip until it is restarted with an address that does.`,
    );
  const question =
    "Flip now? Until it is done, some seconds, nothing can be stored, and deliveries go on with what dispatchers hold.";
  if (!options.yes && !(await confirm(question))) {
    console.log(
      `Not yet. ${source.name} takes the writes, and ${target.name} follows. Run it again to flip, or with --abort.`,
    );
    return 1;
  }
  const problem = (await checkMigrations(source, target)) ?? (await checkHold(source));
  if (problem) throw new SetupError(problem);
  return flipAndFinish(plan);
}

/** What a server or its connection says against a step, as one sentence. */
function explained(error: unknown): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code !== "string") return error;
  return new SetupError(`${message || code}. Run the command again to go on, or with --abort.`, { cause: error });
}

/** Nothing is left half begun: what fails is taken back. */
async function begin(plan: Plan): Promise<void> {
  try {
    await beginCopy(plan, await readServiceRoles(plan), console.log);
  } catch (error) {
    await abort(plan.source, plan.target);
    throw error;
  }
}

/** The roles of the service that may not change the tables. With DATABASE_OWNER_URL they get their rights on the target. */
async function readServiceRoles({ serviceUrls, source }: Plan): Promise<string[]> {
  if (readLauncherConfig().databaseOwnerUrl === undefined) return [];
  const schema = await readSchema(source.sql);
  const roles = await Promise.all(
    serviceUrls.map((url) => onDatabase(url, { name: "stopwatch move" }, (sql) => readRestrictedRole(sql, schema))),
  );
  return [...new Set(roles.filter((role) => role !== undefined))];
}

async function flipAndFinish(plan: Plan): Promise<number> {
  const rows = await flip(plan, (gapMs) =>
    console.log(
      `Flipped: ${plan.target.name} takes the writes. Nothing took them for ${(gapMs / 1_000).toFixed(1)} s. Counting the rows of both.`,
    ),
  );
  console.log(`Both have the same ${count(rows)} rows.`);
  return finish(plan, await readState(plan.source, plan.target));
}

async function finish({ source, target }: Plan, state: MoveState): Promise<number> {
  const oid = state.subscription ? await removeSubscription(target) : undefined;
  await removeFromSource(source, oid);
  for (const line of nextSteps(source, target)) console.log(line);
  return 0;
}

async function takeBack({ source, target }: Plan, state: MoveState): Promise<number> {
  if (isFlipped(state))
    throw new SetupError(`The move is done: ${target.name} takes the writes. See docs/upgrades.md for the way back.`);
  if (!state.subscription && !state.hasPublication && !state.hasSlot && !state.isTargetReadOnly)
    throw new SetupError(`No move to ${target.name} was begun.`);
  await abort(source, target);
  console.log(
    `Taken back: ${source.name} takes the writes, and keeps no log for a copy. ${target.name} is empty and read-only.`,
  );
  return 0;
}

function readTarget(text: string): string {
  try {
    return readOneHost(text);
  } catch (error) {
    throw new UsageError(`the new database: ${(error as Error).message}`);
  }
}

function readConninfo(url: string): string {
  try {
    return conninfoOf(url);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readWait(text: string | undefined): number {
  if (text === undefined) return WAIT_MS;
  const ms = parseDuration(text);
  if (ms === null) throw new UsageError(`--wait ${describeDurationProblem(text)}`);
  return ms;
}
