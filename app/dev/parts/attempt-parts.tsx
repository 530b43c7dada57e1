import { AttemptOutcome } from "#components/attempts/attempt-outcome.tsx";
import { AttemptTimes } from "#components/attempts/attempt-timing.tsx";
import { StatusCode } from "#components/attempts/status-code.tsx";
import { LatenessStrip } from "#components/charts/lateness-strip.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { ExactTime } from "#components/ui/exact-time.tsx";
import { BareField } from "#components/ui/field.tsx";
import { TimelineEntry, TimelineList } from "#components/ui/timeline-list.tsx";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");
const at = (iso: string) => <ExactTime at={new Date(iso)} zone="Europe/Berlin" day={NOW} />;

/** Timelines and attempts. */
export function AttemptParts() {
  return (
    <>
      <Section title="What happened" columns>
        <Card>
          <CardBody>
            <TimelineList>
              <TimelineEntry node="created" title="Created" at={at("2026-03-26T09:14:02.118Z")} />
              <TimelineEntry node="due" title="Due" note="when it is due" at={at("2026-03-27T14:30:00.000Z")} />
              <TimelineEntry
                node="failed"
                title="Attempt 1 of 5"
                note={<StatusCode code={503} />}
                at={at("2026-03-27T14:30:00.004Z")}
              >
                <AttemptTimes timing={{ late: 4, claim: 3, wait: 0, connect: 41, firstByte: 143 }} />
              </TimelineEntry>
              <TimelineEntry node="running" title="Attempt 2 of 5" note="under way" isAhead />
              <TimelineEntry node="ahead" title="Attempt 3 of 5" note="in 12 s" isAhead />
              <TimelineEntry node="dead" title="Dead" note="if attempts 3 to 5 fail too" isAhead />
              <TimelineEntry node="dead" title="Dead" at={at("2026-03-27T14:39:00.000Z")} />
              <TimelineEntry node="cancelled" title="Cancelled" />
              <TimelineEntry node="succeeded" title="Succeeded" />
            </TimelineList>
          </CardBody>
        </Card>
        <Card>
          <CardBody className="grid gap-4">
            {[null, 4, 0, 304, 61_000, -18].map((ms) => (
              <LatenessStrip key={ms} ms={ms} what="The first attempt" href="#log" />
            ))}
          </CardBody>
        </Card>
      </Section>
      <Section title="Attempts, and a field in a row" columns>
        <Card>
          <CardBody className="flex flex-wrap gap-x-6 gap-y-2">
            <AttemptOutcome isSuccess />
            <AttemptOutcome isSuccess={false} />
            {[200, 301, 410, 503, null].map((code) => (
              <StatusCode key={code} code={code} />
            ))}
          </CardBody>
        </Card>
        <Card>
          <CardBody className="grid gap-2">
            <BareField name="header" aria-label="Name of a header" mono defaultValue="Content-Type" />
            <BareField name="header" aria-label="Name of another header" mono isInvalid defaultValue="Host" />
          </CardBody>
        </Card>
      </Section>
    </>
  );
}
