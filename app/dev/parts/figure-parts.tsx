import { LatenessHistogram } from "#components/charts/lateness-histogram.tsx";
import { LatenessTape } from "#components/charts/lateness-tape.tsx";
import { OutcomeBars, OutcomeTable } from "#components/charts/outcome-bars.tsx";
import { QuotaMeter } from "#components/charts/quota-meter.tsx";
import { TapeTable } from "#components/charts/tape-table.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { Readings } from "#components/ui/reading.tsx";
import { Section } from "./section.tsx";

const HOUR_MS = 3_600_000;

// Invented data for the gallery, not measurements.
const HOURS = Array.from({ length: 24 }, (_, hour) => {
  const startsAt = new Date(Date.UTC(2026, 2, 26, 15) + hour * HOUR_MS);
  if (hour % 9 === 8) return { startsAt, count: 0, p50: null, p95: null };
  return { startsAt, count: 400 + hour, p50: 2 + (hour % 4), p95: hour === 17 ? 291 : 12 + ((hour * 7) % 17) };
});
const OUTCOMES = HOURS.map(({ startsAt, count }, hour) => ({
  startsAt,
  outcomes: {
    "2xx": 900 * count,
    "3xx": 0,
    "4xx": hour === 4 ? 1 : 0,
    "5xx": hour === 17 ? 12_000 : 0,
    none: hour === 18 ? 400 : 0,
    interrupted: hour === 18 ? 2 : 0,
  },
}));
const EARLY_HOURS = HOURS.map((hour) => (hour.p50 === null ? hour : { ...hour, p50: hour.p50 - 12 }));
const FIVE_MINUTES = Array.from({ length: 288 }, (_, at) => ({
  startsAt: new Date(Date.UTC(2026, 2, 26, 15) + (at * HOUR_MS) / 12),
  count: 40,
  p50: 2 + (at % 3),
  p95: at === 171 ? 12_400 : 9 + ((at * 13) % 20),
}));
const EARLY_COUNTS = [-60, -18, -17, -9, -2, 0, 1, 2, 3, 8, 21, 304].map((ms, at) => ({ ms, count: 3 * at + 1 }));

const hrefOf = () => "#requests";

/** Lateness through time, what is used of a quota, and readings. */
export function FigureParts() {
  return (
    <>
      <Section title="Tape: p50 to p95 through time; nothing sent is a gap">
        <Card>
          <CardBody className="grid gap-3">
            <LatenessTape buckets={HOURS} what="hour" zone="UTC" stepMs={HOUR_MS} hrefOf={hrefOf} brushHref="#range" />
            <TapeTable buckets={HOURS} what="hour" zone="UTC" hrefOf={hrefOf} />
            <OutcomeBars buckets={OUTCOMES} what="hour" zone="UTC" stepMs={HOUR_MS} hrefOf={hrefOf} />
            <OutcomeTable buckets={OUTCOMES} what="hour" zone="UTC" hrefOf={hrefOf} />
            <OutcomeBars buckets={[]} what="hour, without any" zone="UTC" stepMs={HOUR_MS} hrefOf={hrefOf} />
          </CardBody>
          <Readings
            items={[
              { label: "Active schedules", value: "1,284", note: "scheduled, firing or failed", href: "#schedules" },
              { label: "Success rate", value: "99.2", unit: "%", note: "attempts with 2xx" },
              { label: "p95", value: "+21", unit: "ms" },
              { label: "Attempts", value: "—" },
            ]}
          />
        </Card>
        <Card>
          <CardBody className="grid gap-6">
            <LatenessTape
              buckets={FIVE_MINUTES}
              what="5 minutes"
              zone="Europe/Berlin"
              stepMs={HOUR_MS / 12}
              hrefOf={hrefOf}
              size="tall"
            />
            <LatenessTape
              buckets={EARLY_HOURS}
              what="hour, some of them early"
              zone="UTC"
              stepMs={HOUR_MS}
              hrefOf={hrefOf}
            />
            <LatenessTape buckets={[]} what="hour, without any" zone="UTC" stepMs={HOUR_MS} hrefOf={hrefOf} />
          </CardBody>
        </Card>
      </Section>
      <Section title="The zero line, two-sided">
        <Card>
          <CardBody className="grid gap-6">
            <LatenessHistogram counts={EARLY_COUNTS} p50={0} p95={21} size="medium" hrefOf={hrefOf} />
            <LatenessHistogram counts={EARLY_COUNTS.slice(5)} p50={3} p95={304} size="medium" hrefOf={hrefOf} />
          </CardBody>
        </Card>
      </Section>
      <Section title="Meter of a quota: inside it, in the grace, full, without grace" columns>
        {[
          { used: 1_412, limit: 2_000, graceLimit: 2_200, projected: 1_645 },
          { used: 2_086, limit: 2_000, graceLimit: 2_200, projected: 2_431 },
          { used: 2_200, limit: 2_000, graceLimit: 2_200, projected: null },
          { used: 86, limit: 1_000, graceLimit: 1_000, projected: null },
        ].map((quota) => (
          <Card key={quota.used}>
            <CardBody>
              <QuotaMeter {...quota} />
            </CardBody>
          </Card>
        ))}
      </Section>
    </>
  );
}
