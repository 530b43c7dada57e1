import type { Schedules } from "../../../sdk/src/index.ts";
import type { Created } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors/usage-error.ts";
import { printCreated } from "../output/print-created.ts";
import { forEachId } from "./for-each-id.ts";

/** Makes a schedule from each id, and prints it. Returns the exit code. Throws a UsageError for one key and several ids. */
export async function createEach(
  context: Context,
  ids: readonly string[],
  key: string | undefined,
  create: (schedules: Schedules, id: string, key: string | undefined) => Promise<Created>,
): Promise<number> {
  if (key !== undefined && ids.length > 1) {
    throw new UsageError("--key-for-once needs one ID: a key stands for one schedule", "--key-for-once order-7");
  }
  const { schedules } = context.client();
  let worst = 0;
  const code = await forEachId(
    context,
    ids,
    (id) => create(schedules, id, key),
    (created) => {
      worst = Math.max(worst, printCreated(created, context.out, context.say));
    },
  );
  return code || worst;
}
