import type { LeftAlone, Operation, OperationSet } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import type { Fact } from "../output/output.ts";
import { createProgress } from "../output/progress.ts";
import { pause } from "../pause.ts";
import { describeFilter } from "./describe-filter.ts";

/**
 * Cancels or replays all schedules that match a filter, after a question with their count. Shows the progress until the
 * operation has ended. Ctrl-C stops it; what it has done stays done. Returns the exit code.
 */
export async function runOperation(
  context: Context,
  action: "cancel" | "replay",
  filter: OperationSet,
  isYes: boolean | undefined,
): Promise<number> {
  const { client, confirm, out, say, signal } = context;
  const { schedules, operations } = client();
  const { total, total_capped } = await schedules.list({ ...filter, limit: 1 }, { signal });
  const count = `${total_capped ? "more than " : ""}${total} ${total === 1 ? "schedule" : "schedules"}`;
  if (total === 0) {
    say(`No schedule matches: ${describeFilter(filter)}.`);
    return EXIT.done;
  }
  const verb = action === "cancel" ? "Cancel" : "Send again, as new schedules that fire now,";
  if (!(await confirm(`${verb} ${count} (${describeFilter(filter)})?`, isYes))) {
    say("Nothing was done.");
    return EXIT.partly;
  }
  const started = await operations.start({ action, filter }, { signal });
  const ended = await follow(context, started);
  out.record(ended, operationFacts(ended));
  const leftAlone = Object.values(ended.left_alone).reduce((sum, left) => sum + left, 0);
  return ended.status === "done" && leftAlone === 0 ? EXIT.done : EXIT.partly;
}

async function follow({ client, say, signal }: Context, started: Operation): Promise<Operation> {
  const { operations } = client();
  const progress = createProgress();
  const stop = async () => {
    const { acted, total } = await operations.stop(started.id, { timeoutMs: STOP_MS });
    say(`Stopped the operation ${started.id} after ${acted} of ${total}.`);
  };
  try {
    for (let now = started; ; ) {
      if (now.status !== "running") return now;
      const left = Object.values(now.left_alone).reduce((sum, count) => sum + count, 0);
      progress.show(`${now.acted + left} of ${now.total}, Ctrl-C stops it (${started.id})`);
      await pause(POLL_MS, signal);
      now = await operations.get(started.id, { signal });
    }
  } catch (error) {
    progress.end();
    if (signal.aborted) await stop().catch(() => say(`The operation ${started.id} goes on: stop it on the pages.`));
    else say(`The operation ${started.id} goes on without this program.`);
    throw error;
  } finally {
    progress.end();
  }
}

const POLL_MS = 500;
/** Shorter than a command may take after Ctrl-C. */
const STOP_MS = 1_500;

/** An operation as lines for people. */
function operationFacts({ id, action, status, acted, total, left_alone, error }: Operation): Fact[] {
  const left = (Object.entries(left_alone) as [keyof LeftAlone, number][]).filter(([, count]) => count > 0);
  return [
    ["operation", id],
    ["status", status],
    [action === "cancel" ? "cancelled" : "replayed", `${acted} of ${total}`],
    ...left.map(([reason, count]): Fact => ["left alone", `${count}: ${REASONS[reason]}`]),
    ["error", error && `${error.message} (${error.code})`],
  ];
}

const REASONS: Readonly<Record<keyof LeftAlone, string>> = {
  firing: "an attempt was under way",
  succeeded: "delivered already",
  dead: "dead already",
  cancelled: "cancelled already",
  rescheduled: "moved meanwhile",
  erased: "payload and headers were erased at the end of the retention",
  over_quota: "over the month's quota",
  expired: "its expiry has passed",
  target_not_allowed: "the target is not allowed any more",
  payload_too_large: "the payload is larger than the plan allows now",
  unreadable: "the stored request cannot be decrypted",
  not_found: "not there any more",
};
