import type { LateRange } from "#domain/late-range.ts";
import { formatOffset } from "./offset.ts";

/** A range of lateness: `+4 ms`, `+20 ms to +29 ms`, `+251 ms or later`. */
export function formatLateRange({ fromMs, toMs }: LateRange): string {
  if (toMs === null) return fromMs === null ? "any" : `${formatOffset(fromMs)} or later`;
  if (fromMs === null) return `${formatOffset(toMs)} or earlier`;
  return fromMs === toMs ? formatOffset(toMs) : `${formatOffset(fromMs)} to ${formatOffset(toMs)}`;
}
