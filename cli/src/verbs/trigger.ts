import { Option } from "commander";
import { addPayloadOptions } from "../input/payload-options.ts";
import type { TriggerOptions } from "../trigger/run-trigger.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch trigger --to https://example.com/hook";

/** Sends one signed test delivery now, and prints its attempt. */
export const trigger: Verb<TriggerOptions> = {
  name: "trigger",
  group: "Receivers",
  summary: "Send one signed delivery now, and print its attempt",
  examples: [EXAMPLE, "stopwatch trigger --to https://example.com/hook --json @order.json"],
  takesJsonBody: true,
  define(command) {
    command
      .option("--to <url>", "Where it goes")
      .addOption(
        new Option("--method <method>", "The method of the request").choices(["POST", "GET", "PUT", "PATCH", "DELETE"]),
      );
    addPayloadOptions(command);
    command.option("--yes", "Do not ask before a live key sends it");
  },
  async run(context, options) {
    const { runTrigger } = await import("../trigger/run-trigger.ts");
    return runTrigger(context, options);
  },
};
