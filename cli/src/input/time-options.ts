import { type Command, Option } from "commander";

/** The options that say when: one of `--in` and `--at`. */
export type TimeOptions = { in?: string; at?: string; tz?: string; onClockChange?: "first" | "second" | "refuse" };

export function addTimeOptions(command: Command): void {
  command
    .option("--in <duration>", "How long from now, by the service's clock: 90s, 1h30m, 2d")
    .option("--at <time>", "When: 2031-03-30T09:00:00Z, or without an offset and with --tz")
    .option("--tz <zone>", "The time zone of --at, such as Europe/Berlin")
    .addOption(
      new Option(
        "--on-clock-change <rule>",
        "When the clocks of the zone skip or repeat --at: the first or the second instant, or refuse it",
      ).choices(["first", "second", "refuse"]),
    );
}
