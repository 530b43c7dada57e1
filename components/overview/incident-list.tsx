import { ChevronRight, CircleCheck, OctagonX, Repeat2, RotateCw } from "lucide";
import { answerLine } from "#domain/answer-line.ts";
import { formatHour, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { RelativeTime } from "../ui/time.tsx";

/** Schedules that are dead or retrying and have host and last answer in common. */
export type Incident = {
  host: string;
  /** The last answer's status code; null where there was none. */
  code: number | null;
  /** First line of the last answer, or why there was none. */
  error: string | null;
  /** Dead schedules that no copy stands for. */
  dead: number;
  retrying: number;
  /** Dead ones of which a copy was delivered, or is on its way. */
  mended: { delivered: number; underWay: number };
  nextAttemptAt: Date | null;
  from: Date;
  to: Date;
  /** The list of exactly these schedules. */
  href: string;
  /** Asks to replay the dead ones; absent when there is none. */
  replayHref?: string | undefined;
  /** The replay that made the newest copies. */
  operationHref?: string | undefined;
};

/** Groups of schedules that need a person, and below them those that were mended. */
export function IncidentList({ incidents, ...seen }: { incidents: readonly Incident[] } & Seen) {
  return (
    <ul>
      {incidents.map((incident) => (
        <IncidentLine key={incident.href} incident={incident} {...seen} />
      ))}
    </ul>
  );
}

/** `isCapped`: the numbers are lower bounds. */
type Seen = { isCapped: boolean; zone: string; now: Date };

function IncidentLine({ incident, ...seen }: { incident: Incident } & Seen) {
  const { host, code, error, dead, retrying, href, replayHref } = incident;
  const look = dead > 0 ? LOOKS.dead : retrying > 0 ? LOOKS.retrying : LOOKS.mended;
  const line = error === null ? "" : answerLine(error);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2.5 last:border-b-0 hover:bg-hover">
      <Icon of={look.icon} className={look.ink} />
      <div className="grid min-w-0 flex-1 basis-52 gap-0.5">
        <a href={href} className="flex min-h-6 min-w-0 items-center gap-1.5 hover:underline">
          <span className="wrap-anywhere line-clamp-3 sm:line-clamp-none sm:truncate">
            <b className="font-medium">{host}</b>
            <span className="text-ink-soft">
              {" · "}
              {code === null ? line || "no answer" : `${code} ${line}`}
            </span>
          </span>
          <Icon of={ChevronRight} small className="shrink-0 text-ink-muted" />
        </a>
        <p className="flex flex-wrap gap-x-3 text-ink-muted text-xs">
          <Counts incident={incident} {...seen} />
          <span>due {rangeInWords(incident, seen.zone, seen.now)}</span>
        </p>
      </div>
      {replayHref && (
        <ButtonLink href={replayHref} size="small" className="max-sm:w-full max-sm:min-h-9">
          <Icon of={Repeat2} small />
          Replay {countInWords(dead, seen.isCapped)}
        </ButtonLink>
      )}
    </li>
  );
}

const LOOKS = {
  dead: { icon: OctagonX, ink: "text-bad" },
  retrying: { icon: RotateCw, ink: "text-warn" },
  mended: { icon: CircleCheck, ink: "text-ok" },
};

const countInWords = (count: number, isCapped: boolean) => `${formatCount(count)}${isCapped ? "+" : ""}`;

function Counts({
  incident: { dead, retrying, mended, nextAttemptAt, operationHref },
  isCapped,
  zone,
  now,
}: { incident: Incident } & Seen) {
  const { delivered, underWay } = mended;
  const replayed = [
    delivered > 0 && `${formatCount(delivered)} delivered`,
    underWay > 0 && `${formatCount(underWay)} on the way`,
  ].filter(Boolean);
  return (
    <>
      {dead > 0 && <span className="font-medium text-bad">{countInWords(dead, isCapped)} dead</span>}
      {retrying > 0 && (
        <span className="font-medium text-warn">
          {countInWords(retrying, isCapped)} retrying
          {nextAttemptAt && (
            <span className="font-normal">
              , next <RelativeTime at={nextAttemptAt} now={now} zone={zone} isAhead />
            </span>
          )}
        </span>
      )}
      {replayed.length > 0 && (
        <span className="text-ok">
          replayed:{" "}
          {operationHref ? <TextLink href={operationHref}>{replayed.join(", ")}</TextLink> : replayed.join(", ")}
        </span>
      )}
    </>
  );
}

/** `02:12–03:10`; with days when it is not all of today. */
function rangeInWords({ from, to }: Pick<Incident, "from" | "to">, zone: string, now: Date): string {
  const today = formatShortDay(now, zone);
  const [fromDay, toDay] = [formatShortDay(from, zone), formatShortDay(to, zone)];
  const at = (day: string, time: Date) => `${day === today ? "" : `${day}, `}${formatHour(time, zone)}`;
  if (formatHour(from, zone) === formatHour(to, zone) && fromDay === toDay) return at(fromDay, from);
  return `${at(fromDay, from)}–${fromDay === toDay ? formatHour(to, zone) : at(toDay, to)}`;
}
