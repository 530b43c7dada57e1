"use client";

import type { ChosenTime, TypedTime } from "#domain/chosen-time.ts";
import type { LocalTime } from "#domain/local-time.ts";
import { formatUtcOffset, offsetMsAt } from "#domain/zoned-time.ts";
import { formatDay } from "../format/instant.ts";
import { Radio } from "../ui/choice.tsx";
import { Notice } from "../ui/notice.tsx";

/**
 * A note on a local time near a clock change: it does not exist, it occurs twice (with a choice), or its offset differs
 * from the current one. Otherwise nothing.
 */
export function ClockChange({
  chosen: { epochMs, zone, typed: meant },
  nowMs,
  typed,
  onChange,
}: {
  chosen: Extract<ChosenTime, { ok: true }>;
  nowMs: number;
  typed: TypedTime;
  onChange: (typed: TypedTime) => void;
}) {
  if (meant === null) return null;
  const { local, zoned } = meant;
  const offset = (atMs: number) => formatUtcOffset(offsetMsAt(atMs, zone));
  if (zoned.kind === "gap") {
    return (
      <Notice kind="warn">
        <b>
          {clock(local)} on {day(local)} does not exist in {zone}.
        </b>{" "}
        Clocks go from {clock(zoned.from)} to {clock(zoned.to)}. It would be sent at{" "}
        {clock(shifted(local, offsetMsAt(epochMs, zone), epochMs))}, {offset(epochMs)}.
      </Notice>
    );
  }
  if (zoned.kind === "overlap") {
    return (
      <Notice kind="warn">
        <fieldset className="grid">
          <legend>
            <b>
              {clock(local)} on {day(local)} comes twice in {zone}.
            </b>
          </legend>
          {(["first", "second"] as const).map((occurrence) => (
            <Radio
              key={occurrence}
              name="occurrence"
              value={occurrence}
              label={`${occurrence === "first" ? "The first" : "The second"}, ${offset(occurrence === "first" ? zoned.firstMs : zoned.secondMs)}`}
              checked={typed.occurrence === occurrence}
              onChange={() => onChange({ ...typed, occurrence })}
            />
          ))}
        </fieldset>
      </Notice>
    );
  }
  if (offsetMsAt(epochMs, zone) === offsetMsAt(nowMs, zone)) return null;
  return (
    <Notice kind="info">
      <b>Clocks in {zone} change until then.</b> They are at {offset(epochMs)} by then, and at {offset(nowMs)} now. The
      preview has it right.
    </Notice>
  );
}

const two = (part: number) => String(part).padStart(2, "0");

const clock = ({ hour, minute, second }: LocalTime) =>
  `${two(hour)}:${two(minute)}${second === 0 ? "" : `:${two(second)}`}`;

const day = (local: LocalTime) => formatDay(new Date(Date.UTC(local.year, local.month - 1, local.day)));

function shifted(local: LocalTime, offsetMs: number, epochMs: number): LocalTime {
  const at = new Date(epochMs + offsetMs);
  return { ...local, hour: at.getUTCHours(), minute: at.getUTCMinutes(), second: at.getUTCSeconds() };
}
