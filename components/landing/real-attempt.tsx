import { AttemptTimes, type AttemptTiming } from "../attempts/attempt-timing.tsx";
import { LatenessStrip } from "../charts/lateness-strip.tsx";
import { formatInstant } from "../format/instant.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { LatenessFigure } from "../ui/reading.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** An attempt that was recorded while the documentation was made; times in ms. */
export type RecordedAttempt = { attemptedAt: Date; statusCode: number; timing: AttemptTiming & { late: number } };

/** One real attempt on the zero line. `isHero`: at the head of the page, with its lateness as the figure. */
export function RealAttempt({ attempt, isHero = false }: { attempt: RecordedAttempt; isHero?: boolean }) {
  const { attemptedAt, statusCode, timing } = attempt;
  const ms = Math.round(timing.late);
  return (
    <Card aria-labelledby="attempt">
      <CardHead id="attempt" title="One real attempt">
        <span className="text-ink-muted text-xs">answered {statusCode}</span>
      </CardHead>
      <CardBody className="grid gap-5">
        {isHero && (
          <div className="grid gap-3">
            <p className="text-base text-ink-soft">It was sent late by</p>
            <LatenessFigure ms={ms} size="hero" />
          </div>
        )}
        <LatenessStrip ms={ms} what="This request" />
        <div className="max-w-112">
          <AttemptTimes timing={timing} />
        </div>
      </CardBody>
      <CardFoot>
        <span>
          Recorded at {formatInstant(attemptedAt)}, by the example of the{" "}
          <TextLink href="/docs/quickstart">quickstart</TextLink>, on one machine with its receiver.
          {isHero && " Once live requests are sent here, they stand in its place."}
        </span>
      </CardFoot>
    </Card>
  );
}
