import { CircleAlert, CircleCheck, CircleDashed, ClockAlert, type IconNode } from "lucide";
import type { ReactNode } from "react";
import type { StatusVerdict } from "#domain/status-verdict.ts";
import { formatDuration } from "../format/duration.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import type { PunctualityFigures } from "../punctuality/day-figures.tsx";
import { Icon } from "../ui/icon.tsx";

type Looks = { icon: IconNode; ink: string };

const OK: Looks = { icon: CircleCheck, ink: "text-ok" };
const WARN: Looks = { icon: ClockAlert, ink: "text-warn" };

const LOOKS: Record<StatusVerdict, Looks> = {
  "on-time": OK,
  "was-late": OK,
  "late-now": WARN,
  quiet: { icon: CircleDashed, ink: "text-ink-muted" },
  unknown: WARN,
  stopped: { icon: CircleAlert, ink: "text-bad" },
};

/**
 * The verdict in words, as the heading of the page, with the figures that it rests on. `children`: when the figures are from,
 * and links.
 */
export function Verdict({
  verdict,
  figures,
  now,
  children,
}: {
  verdict: StatusVerdict;
  figures: PunctualityFigures;
  now: Date;
  children: ReactNode;
}) {
  const { icon, ink } = LOOKS[verdict];
  const [title, text] = inWords(verdict, figures, now);
  return (
    <header className="grid gap-3">
      <h1 className="flex items-start gap-3 text-3xl">
        <span className={`mt-2.5 inline-flex [&>svg]:size-5 ${ink}`}>
          <Icon of={icon} />
        </span>
        <span className="text-balance">{title}</span>
      </h1>
      <p className="max-w-176 text-pretty text-ink-soft text-lg">{text}</p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-muted text-sm">{children}</div>
    </header>
  );
}

function inWords(
  verdict: StatusVerdict,
  { sent, onTimeRate, onTimeWithinMs, updatedAt }: PunctualityFigures,
  now: Date,
): [title: string, text: string] {
  const share =
    onTimeRate === 1
      ? `${sent === 1 ? "The one request of the last 24 hours was" : `All ${formatCount(sent)} requests of the last 24 hours were`} sent`
      : `${formatPercent(onTimeRate)} % of the ${formatCount(sent)} requests of the last 24 hours were sent`;
  const onTime = `${share} within ${onTimeWithinMs} ms of when they were due.`;
  switch (verdict) {
    case "on-time":
      return ["Requests are sent on time.", onTime];
    case "was-late":
      return ["On time now, late within the last 24 hours.", onTime];
    case "late-now":
      return [
        "Requests are sent late.",
        `In the last quarter of an hour with requests, more than one in 20 was sent over ${onTimeWithinMs} ms late. ${onTime}`,
      ];
    case "quiet":
      return [
        "Running. No request was due in the last 24 hours.",
        "As soon as one is sent, this says how late it was.",
      ];
    case "stopped":
      return ["No dispatcher is running.", "What is due waits, and is sent late as soon as one runs again."];
    case "unknown":
      return [
        "The database does not answer.",
        `These figures are ${formatDuration(now.getTime() - updatedAt.getTime(), 1)} old. What comes due meanwhile is sent late. This page has new figures as soon as the database answers.`,
      ];
  }
}
