import type { RotateOptions } from "../rotate/run-rotate.ts";
import type { Verb } from "../verb.ts";

/** Makes the next signing secret the current one. */
export const rotate: Verb<RotateOptions> = {
  name: "rotate",
  group: "Receivers",
  summary: "Make the next signing secret the current one; the former one signs for 24 hours more",
  examples: ["stopwatch rotate", "stopwatch rotate --yes"],
  define(command) {
    command
      .option("--key-for-once <key>", "Names this rotation: with the same key within 24 hours it happens once")
      .option("--yes", "Do not ask");
  },
  async run(context, options) {
    const { runRotate } = await import("../rotate/run-rotate.ts");
    return runRotate(context, options);
  },
};
