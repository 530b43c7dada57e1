import { Heart, HeartOff } from "lucide";
import { formatRelative } from "../format/duration.ts";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";

type Dispatcher = {
  id: string;
  host: string;
  pid: number;
  version: string;
  startedAtMs: number;
  beatAtMs: number;
  beatAgeMs: number;
  isAlive: boolean;
  skewMs: number | null;
  shards: number;
};

/** The dispatchers with a heartbeat in the last hour, each with its shards. */
export function DispatcherTable({
  dispatchers,
  shardsUnowned,
  now,
}: {
  dispatchers: readonly Dispatcher[];
  shardsUnowned: number;
  now: Date;
}) {
  return (
    <Card>
      <CardHead title="Dispatchers">
        <span className={`text-xs ${shardsUnowned > 0 ? "text-bad" : "text-ink-muted"}`}>
          {shardsUnowned > 0 ? `${formatCount(shardsUnowned)} shards without a dispatcher` : "every shard has one"}
        </span>
      </CardHead>
      {dispatchers.length > 0 && (
        <Table caption="Dispatchers" stacks>
          <TableHead>
            <HeadCell>Process</HeadCell>
            <HeadCell>State</HeadCell>
            <HeadCell numeric>Shards</HeadCell>
            <HeadCell numeric>Clock skew</HeadCell>
            <HeadCell>Version</HeadCell>
            <HeadCell>Started</HeadCell>
            <HeadCell>Beat</HeadCell>
          </TableHead>
          <TableBody>
            {dispatchers.map((one) => (
              <Row key={one.id}>
                <RowHead stacked="title" className="wrap-anywhere min-w-0 font-medium">
                  {one.host} · {one.pid}
                </RowHead>
                <Cell stacked="aside">
                  <span
                    className={`inline-flex items-center gap-1.5 align-middle ${one.isAlive ? "text-ok" : "text-bad"}`}
                  >
                    <Icon of={one.isAlive ? Heart : HeartOff} small />
                    {one.isAlive ? "beats" : "silent"}
                  </span>
                </Cell>
                <Cell numeric label="shards">
                  {formatCount(one.shards)}
                </Cell>
                <Cell numeric label="skew">
                  {one.skewMs === null ? "—" : `${one.skewMs < 0 ? "−" : "+"}${Math.abs(one.skewMs).toFixed(1)} ms`}
                </Cell>
                <Cell label="version">{one.version}</Cell>
                <Cell label="started">
                  <RelativeTime at={new Date(one.startedAtMs)} now={now} />
                </Cell>
                <Cell label="beat">
                  <time dateTime={new Date(one.beatAtMs).toISOString()}>
                    {formatRelative(new Date(now.getTime() - one.beatAgeMs), now)}
                  </time>
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      )}
      {dispatchers.length === 0 ? (
        <CardBody className="text-ink-soft text-sm">
          No dispatcher sent a heartbeat in the last hour: nothing is sent. Start one with{" "}
          <code>npm run dispatcher</code>.
        </CardBody>
      ) : (
        <CardFoot>Dispatchers with a heartbeat in the last hour, without those that shut down normally.</CardFoot>
      )}
    </Card>
  );
}
