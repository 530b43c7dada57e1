import { describeDurationProblem, parseDuration } from "../../../domain/duration.ts";
import { formatInstant, parseInstant } from "../../../domain/instant.ts";
import { describeInstantProblem } from "../../../domain/instant-problem.ts";
import { UsageError } from "../errors/usage-error.ts";

/** An instant as the API takes it. Throws a UsageError that names `option`. */
export function parseInstantOption(text: string, option: string): string {
  if (parseInstant(text) === null) throw new UsageError(`${option} ${describeInstantProblem(text)}`, EXAMPLE);
  return text;
}

/** The instant that lies this long before `nowMs` (epoch ms). Throws a UsageError that names `--since`. */
export function parseSince(duration: string, nowMs: number): string {
  const ms = parseDuration(duration);
  if (ms === null) throw new UsageError(`--since ${describeDurationProblem(duration)}`, "--since 1h");
  return formatInstant(nowMs - ms);
}

const EXAMPLE = "--from 2031-03-30T09:00:00+02:00";
