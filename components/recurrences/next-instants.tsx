import { nextWithLeftOut, type Occurrence } from "#domain/recurrence.ts";
import type { DraftTimes } from "#domain/recurrence-draft.ts";
import { formatUtcOffset, offsetMsAt } from "#domain/zoned-time.ts";
import { formatDuration } from "../format/duration.ts";
import { formatDayOfYear, formatHour, formatShortDay, formatYear } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { CardBody } from "../ui/card.tsx";
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from "../ui/table.tsx";

const COUNT = 10;

type Read = Extract<DraftTimes, { ok: true }>;

/** The next ten instants of a rule after `fromMs`, in its zone and in UTC, and those between them that it leaves out. */
export function NextInstants({ read: { times, spreadMs }, fromMs }: { read: Read; fromMs: number }) {
  const { zone } = times;
  const next = nextWithLeftOut(times, fromMs, COUNT);
  const sent = next.filter(({ isLeftOut }) => !isLeftOut).length;
  if (sent === 0) return <CardBody className="text-ink-soft text-sm">None: it ends before.</CardBody>;
  return (
    <>
      <Table caption={`The next ${sent} instants`} dense>
        <TableHead>
          <HeadCell>{zone}</HeadCell>
          {zone !== "UTC" && <HeadCell>UTC</HeadCell>}
        </TableHead>
        <TableBody>
          {next.map((one) => (
            <Row key={one.atMs}>
              <Cell>
                <Instant one={one} zone={zone} fromMs={fromMs} />
                <Change one={one} zone={zone} />
              </Cell>
              {zone !== "UTC" && (
                <Cell className="whitespace-nowrap text-ink-muted">
                  <Instant one={one} zone="UTC" fromMs={fromMs} />
                </Cell>
              )}
            </Row>
          ))}
        </TableBody>
      </Table>
      {spreadMs > 0 && (
        <p className="border-line border-t px-4 pt-2.5 text-ink-muted text-xs">
          Each is due later by a share of {formatDuration(spreadMs)}, the same each time.
        </p>
      )}
    </>
  );
}

type Next = Occurrence & { isLeftOut: boolean };

function Instant({ one: { atMs, isLeftOut }, zone, fromMs }: { one: Next; zone: string; fromMs: number }) {
  const text = dayAndTime(atMs, zone, fromMs);
  if (isLeftOut) return <s className="whitespace-nowrap text-ink-muted">{text}</s>;
  return (
    <time dateTime={new Date(atMs).toISOString()} className="whitespace-nowrap">
      {text}
    </time>
  );
}

/** What clocks do to an instant: they skip or repeat its time of day. */
function Change({ one: { atMs, local, clockChange, isLeftOut }, zone }: { one: Next; zone: string }) {
  if (clockChange === null) return null;
  const two = (part: number) => String(part).padStart(2, "0");
  const asked = `${two(local.hour)}:${two(local.minute)}`;
  return (
    <span className="block text-warn text-xs">
      {clockChange === "gap"
        ? `Clocks skip ${asked}: ${isLeftOut ? "left out" : `sent at ${formatHour(new Date(atMs), zone)}`}`
        : `${asked} comes twice: ${isLeftOut ? "left out" : `the one at ${formatUtcOffset(offsetMsAt(atMs, zone))}`}`}
    </span>
  );
}

function dayAndTime(atMs: number, zone: string, fromMs: number): string {
  const at = new Date(atMs);
  const isOtherYear = formatYear(at, zone) !== formatYear(new Date(fromMs), zone);
  const weekday = new Intl.DateTimeFormat("en-GB", { timeZone: zone, weekday: "short" }).format(at);
  return `${weekday} ${(isOtherYear ? formatDayOfYear : formatShortDay)(at, zone)}, ${formatHour(at, zone)}`;
}

/** How much of a month's quota a rule takes. */
export function MonthlyUse({ monthly, limit }: { monthly: number; limit: number }) {
  const share = limit > 0 ? Math.ceil((100 * monthly) / limit) : 100;
  return (
    <p className={`border-line border-t px-4 py-2.5 text-xs ${monthly > limit ? "text-warn" : "text-ink-soft"}`}>
      About {formatCount(monthly)} a month
      {monthly > limit
        ? `, which is more than the ${formatCount(limit)} schedules of the plan: those above it are left out.`
        : ` of the plan’s ${formatCount(limit)} schedules: ${share <= 1 ? "at most 1" : share}\u00A0%.`}
    </p>
  );
}
