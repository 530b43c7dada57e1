import { LatenessTape, type TapeBucket } from "../charts/lateness-tape.tsx";
import { TapeTable } from "../charts/tape-table.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

const QUARTER = "quarter of an hour";

/** The punctuality of the last day by quarters of an hour, in UTC. */
export function DayTape({ buckets }: { buckets: readonly TapeBucket[] }) {
  return (
    <Card aria-labelledby="through">
      <CardHead id="through" title="Through the day">
        <span className="text-ink-muted text-xs">UTC</span>
      </CardHead>
      <CardBody className="grid gap-3">
        <LatenessTape buckets={buckets} what={QUARTER} zone="UTC" size="tall" />
        <TapeTable buckets={buckets} what={QUARTER} zone="UTC" />
      </CardBody>
    </Card>
  );
}
