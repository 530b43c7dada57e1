import { describeDurationProblem, parseDuration } from "../../../domain/duration.ts";
import { parseInstant } from "../../../domain/instant.ts";
import { describeInstantProblem } from "../../../domain/instant-problem.ts";
import { readLocalTime } from "../../../domain/local-time.ts";
import { describeLocalTimeProblem } from "../../../domain/local-time-problem.ts";
import type { FireTime } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { TimeOptions } from "./time-options.ts";

/** The time that was given, undefined without one. Throws a UsageError that names the option. */
export function parseTime(options: TimeOptions): FireTime | undefined {
  const { in: duration, at, tz, onClockChange } = options;
  if (at === undefined) {
    if (tz !== undefined) throw new UsageError("--tz needs --at: it is the zone of a local time", ZONE_EXAMPLE);
    if (onClockChange) throw new UsageError("--on-clock-change needs --at and --tz", ZONE_EXAMPLE);
    if (duration === undefined) return undefined;
    if (parseDuration(duration) === null) {
      throw new UsageError(`--in ${describeDurationProblem(duration)}`, "--in 1h30m");
    }
    return { fireIn: duration };
  }
  if (duration !== undefined) throw new UsageError("--at must not stand beside --in: give one", "--in 1h30m");
  return parseInstant(at) !== null ? instant(at, options) : local(at, options);
}

function instant(at: string, { tz, onClockChange }: TimeOptions): FireTime {
  if (tz !== undefined)
    throw new UsageError("--tz must not stand beside --at with an offset: one says it", ZONE_EXAMPLE);
  if (onClockChange) throw new UsageError("--on-clock-change has no meaning for --at with an offset", ZONE_EXAMPLE);
  return { fireAt: at };
}

function local(at: string, { tz, onClockChange }: TimeOptions): FireTime {
  if (typeof readLocalTime(at) === "string") {
    const problem = tz === undefined ? describeInstantProblem(at) : describeLocalTimeProblem(at);
    throw new UsageError(`--at ${problem}`, ZONE_EXAMPLE);
  }
  if (tz === undefined) throw new UsageError("--at needs an offset, or --tz with the zone that it is in", ZONE_EXAMPLE);
  return { fireAtLocal: at, timezone: tz, onClockChange };
}

const ZONE_EXAMPLE = "--at 2031-03-30T09:00 --tz Europe/Berlin, or --at 2031-03-30T09:00:00+02:00";
