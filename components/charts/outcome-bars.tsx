import { Fragment } from "react";
import type { StepOutcomes } from "#domain/step-outcomes.ts";
import { formatHour, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { formatSpan } from "../format/span.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { FigureTable } from "../ui/figure-table.tsx";
import { Answer, Answers } from "./answer.tsx";

/** How the attempts of one bucket of time ended. */
export type OutcomeBucket = { startsAt: Date; outcomes: StepOutcomes };

/** Where the attempts of a bucket are listed: those that ended so, or all. */
export type OutcomeHref = (bucket: OutcomeBucket, outcome?: "succeeded" | "failed") => string;

const [UP, DOWN] = [56, 36];
const HEIGHT = UP + DOWN;
const WIDE = 10;
const GAP = 1;
/** A single failure among very many is still seen, px. */
const LEAST = 3;

/**
 * How attempts ended through time, on the time scale of `LatenessTape`: for each bucket a bar up for the delivered ones and one
 * down for the failed ones, their heights by the square root of the count.
 */
export function OutcomeBars({
  buckets,
  what,
  zone,
  stepMs,
  hrefOf,
}: {
  buckets: readonly OutcomeBucket[];
  what: string;
  zone: string;
  stepMs: number;
  hrefOf: OutcomeHref;
}) {
  const counted = buckets.map((bucket, at) => ({ bucket, at, ...split(bucket.outcomes) }));
  const made = counted.filter(({ delivered, failed }) => delivered + failed > 0);
  const most = Math.max(1, ...made.flatMap(({ delivered, failed }) => [delivered, (failed * UP ** 2) / DOWN ** 2]));
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, UP * Math.sqrt(count / most)));
  const bar = (at: number, from: number, height: number) =>
    `M${at * WIDE + GAP} ${from}h${WIDE - 2 * GAP}v${round(height)}h${2 * GAP - WIDE}z`;
  const title = ({ startsAt }: OutcomeBucket) => formatSpan(startsAt, new Date(startsAt.getTime() + stepMs), zone);
  return (
    <div className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-ink-muted text-xs">
        <span>Attempts by {what}</span>
        <span className="flex gap-4">
          <Key ink="fill-line-strong" word="delivered" />
          <Key ink="fill-bad" word="failed" />
        </span>
      </div>
      <div className="grid grid-cols-[2.5rem_minmax(0,1fr)]">
        <span />
        <div className="relative">
          <svg role="img" aria-label={inWords(made, what)} className="block w-full" height={HEIGHT}>
            <svg
              aria-hidden="true"
              width="100%"
              height={HEIGHT}
              viewBox={`0 0 ${Math.max(buckets.length, 1) * WIDE} ${HEIGHT}`}
              preserveAspectRatio="none"
            >
              <path
                className="fill-line-strong"
                d={made.map(({ at, delivered }) => bar(at, UP, -heightOf(delivered))).join("")}
              />
              <path className="fill-bad" d={made.map(({ at, failed }) => bar(at, UP, heightOf(failed))).join("")} />
            </svg>
            <line x1="0" x2="100%" y1={UP} y2={UP} className="stroke-1 stroke-line-strong" />
          </svg>
          <Answers label={`Outcomes of each ${what}`}>
            {made.map(({ bucket, at, delivered, failed }) => {
              const place = { x: (100 * at) / buckets.length, width: 100 / buckets.length };
              return (
                <Fragment key={at}>
                  {delivered > 0 && (
                    <Answer
                      {...place}
                      href={hrefOf(bucket, "succeeded")}
                      title={title(bucket)}
                      lines={[`${formatCount(delivered)} delivered`]}
                      height={UP}
                    />
                  )}
                  {failed > 0 && (
                    <Answer
                      {...place}
                      href={hrefOf(bucket, "failed")}
                      title={title(bucket)}
                      lines={failuresOf(bucket.outcomes)}
                      y={UP}
                      height={DOWN}
                    />
                  )}
                </Fragment>
              );
            })}
          </Answers>
        </div>
      </div>
    </div>
  );
}

/** The figures of `OutcomeBars` as a table, collapsed at first. */
export function OutcomeTable({
  buckets,
  what,
  zone,
  hrefOf,
}: {
  buckets: readonly OutcomeBucket[];
  what: string;
  zone: string;
  hrefOf: OutcomeHref;
}) {
  return (
    <Disclosure label="Show as table">
      <FigureTable
        caption={`Outcomes by ${what}`}
        columns={[`Begins (${zone})`, "2xx", "3xx", "4xx", "5xx", "None"]}
        rows={buckets.map((bucket) => ({
          key: String(bucket.startsAt.getTime()),
          cells: [
            <Begins key="begins" bucket={bucket} zone={zone} href={hrefOf(bucket)} />,
            ...(["2xx", "3xx", "4xx", "5xx"] as const).map((name) => formatCount(bucket.outcomes[name])),
            formatCount(bucket.outcomes.none + bucket.outcomes.interrupted),
          ],
        }))}
      />
    </Disclosure>
  );
}

function Begins({ bucket: { startsAt, outcomes }, zone, href }: { bucket: OutcomeBucket; zone: string; href: string }) {
  const { delivered, failed } = split(outcomes);
  const time = (
    <time dateTime={startsAt.toISOString()}>
      {formatShortDay(startsAt, zone)}, {formatHour(startsAt, zone)}
    </time>
  );
  if (delivered + failed === 0) return time;
  return (
    <a href={href} className="figure-link">
      {time}
    </a>
  );
}

function Key({ ink, word }: { ink: string; word: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg width="12" height="12" aria-hidden="true">
        <rect y="1" width="12" height="10" className={ink} />
      </svg>
      {word}
    </span>
  );
}

function split({ "2xx": delivered, ...others }: StepOutcomes): { delivered: number; failed: number } {
  return { delivered, failed: Object.values(others).reduce((sum, n) => sum + n, 0) };
}

function failuresOf(outcomes: StepOutcomes): string[] {
  const { "2xx": _delivered, none, interrupted, ...answers } = outcomes;
  return [
    ...Object.entries(answers).flatMap(([name, n]) => (n > 0 ? [`${formatCount(n)} × ${name}`] : [])),
    ...(none > 0 ? [`${formatCount(none)} without an answer`] : []),
    ...(interrupted > 0 ? [`${formatCount(interrupted)} interrupted`] : []),
  ];
}

function inWords(made: readonly { delivered: number; failed: number }[], what: string): string {
  if (made.length === 0) return `Attempts by ${what}: none was made.`;
  const sum = (of: "delivered" | "failed") => formatCount(made.reduce((all, one) => all + one[of], 0));
  const failing = made.filter(({ failed }) => failed > 0).length;
  return `Attempts by ${what}: ${sum("delivered")} delivered, ${sum("failed")} failed, in ${formatCount(failing)} of ${formatCount(made.length)} with an attempt.`;
}

const round = (value: number) => Math.round(value * 100) / 100;
