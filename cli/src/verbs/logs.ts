import { Option } from "commander";
import { addLimitOptions } from "../input/limit.ts";
import { addNarrowOptions } from "../input/narrow-options.ts";
import type { LogOptions } from "../logs/run-logs.ts";
import type { Verb } from "../verb.ts";

/** Prints attempts of all schedules. */
export const logs: Verb<LogOptions> = {
  name: "logs",
  group: "Deliveries",
  summary: "Print attempts of all schedules, the last first, or follow them as they are made",
  examples: ["stopwatch logs --follow --outcome failed", "stopwatch logs --since 1h --all --json"],
  define(command) {
    command
      .option("-f, --follow", "Print the last ones, then each new one, until Ctrl-C")
      .addOption(new Option("--outcome <outcome>", "2xx, or everything else").choices(["succeeded", "failed"]))
      .option("--schedule <id>", "Those of one schedule")
      .option("--q <text>", "A part of the target's address, or a whole id")
      .option("--from <instant>", "Those from this instant on, such as 2031-03-30T09:00:00+02:00")
      .option("--to <instant>", "Those before this instant")
      .option("--since <duration>", "As --from, this long ago: 1h, 2d")
      .addOption(new Option("--sort <order>", "The last first, or the latest").choices(["-attempted_at", "late"]));
    addNarrowOptions(command);
    command.option(
      "--measured",
      "The first attempts, of which the overview says how late they were; --late is then after the due time",
    );
    addLimitOptions(command);
  },
  async run(context, options) {
    const { runLogs } = await import("../logs/run-logs.ts");
    return runLogs(context, options);
  },
};
