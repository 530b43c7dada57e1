import { plannedRetries, type RetryStrategy } from "#domain/retry.ts";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { RetryStrip } from "./retry-strip.tsx";
import { formatWait } from "./wait.ts";

const SHOWN_MAX = 12;

/** The attempts of a request if each one fails, drawn and as a table. */
export function RetryTable({
  strategy,
  baseMs,
  retries,
}: {
  strategy: RetryStrategy;
  baseMs: number;
  retries: number;
}) {
  const planned = plannedRetries({ strategy, baseMs }, Math.min(retries, SHOWN_MAX));
  return (
    <Card aria-labelledby="retries-that-result">
      <CardHead title="The retries that result" id="retries-that-result" />
      {planned.length > 0 && (
        <CardBody className="grid">
          <RetryStrip retries={planned} />
        </CardBody>
      )}
      <Table caption="Retries that result" dense>
        <TableHead>
          <HeadCell>Attempt</HeadCell>
          <HeadCell numeric>Waits</HeadCell>
          <HeadCell numeric>At, earliest</HeadCell>
        </TableHead>
        <TableBody>
          <Row>
            <RowHead>First attempt</RowHead>
            <Cell numeric>—</Cell>
            <Cell numeric>0 s</Cell>
          </Row>
          {planned.map(({ n, waitMs, waitMsMax, earliestMs }) => (
            <Row key={n}>
              <RowHead>Retry {n}</RowHead>
              <Cell numeric>
                {formatWait(waitMs)} to {formatWait(waitMsMax)}
              </Cell>
              <Cell numeric>{formatWait(earliestMs)}</Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      <CardFoot>
        {retries > SHOWN_MAX && `And ${formatCount(retries - SHOWN_MAX)} more. `}
        Each wait is up to a quarter longer, at random; without that it is at most 1 h. A target&rsquo;s Retry-After on
        429 or 503 can add up to 2 h.
      </CardFoot>
    </Card>
  );
}
