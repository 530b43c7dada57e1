import { LatenessTape, type TapeBucket } from "../charts/lateness-tape.tsx";
import { TapeTable, tapeRowId } from "../charts/tape-table.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

const QUARTER = "quarter of an hour";
const QUARTER_MS = 900_000;

/** The punctuality of the last day by quarters of an hour, each with its row in the table. `zone` is an IANA name. */
export function DayTape({ buckets, zone }: { buckets: readonly TapeBucket[]; zone: string }) {
  return (
    <Card aria-labelledby="through">
      <CardHead id="through" title="Through the day">
        <span className="text-ink-muted text-xs">{zone}</span>
      </CardHead>
      <CardBody className="grid gap-3">
        <LatenessTape
          buckets={buckets}
          what={QUARTER}
          zone={zone}
          stepMs={QUARTER_MS}
          hrefOf={(quarter) => `#${tapeRowId(quarter)}`}
          size="tall"
        />
        <TapeTable buckets={buckets} what={QUARTER} zone={zone} />
      </CardBody>
    </Card>
  );
}
