import { parseLocalTime } from "#domain/local-time.ts";
import { firstInstantOf, resolveLocalTime } from "#domain/zoned-time.ts";
import { LogsInput } from "#server/logs/list-input.ts";
import { hrefWith, type View } from "../view.ts";

export const ROWS_PER_PAGE = 50;
/** As far as pages are counted; behind that they follow each other by a cursor. */
export const PAGES_COUNTED = 200;

/** How far back the log is looked at. */
export const RANGES = { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", between: "Between…" } as const;
export const CODE_NAMES = { "2xx": "2xx", "3xx": "3xx", "4xx": "4xx", "5xx": "5xx", none: "No answer" } as const;

type Range = keyof typeof RANGES;

export type Asked = {
  input: LogsInput;
  page: number;
  range: Range | undefined;
  /** What of the address is not understood, and so left out. */
  problem?: string;
};

/** What the address of the log asks for. */
export function readAsked(view: View): Asked {
  const { params } = view;
  const range = Object.hasOwn(RANGES, params.range ?? "") ? (params.range as Range) : undefined;
  const page = Math.min(Math.max(1, Number.parseInt(params.page ?? "1", 10) || 1), PAGES_COUNTED);
  const { q, outcome, code, schedule_id, after } = params;
  const wanted = { q, outcome, code, schedule_id, after, ...bounds(view, range) };
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const paging = {
    limit: String(ROWS_PER_PAGE),
    ...(after === undefined && { offset: String((page - 1) * ROWS_PER_PAGE) }),
  };
  const parsed = LogsInput.safeParse({ ...given, ...paging });
  if (parsed.success) return { input: parsed.data, page, range };
  const wrong = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
  const input = LogsInput.parse({ ...rest, limit: String(ROWS_PER_PAGE) });
  return { input, page: 1, range, problem: [...wrong].join(", ") };
}

const HOUR_MS = 3_600_000;
const BACK_MS: Record<Range, number | null> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 168 * HOUR_MS,
  between: null,
};

function bounds({ params, now, zone }: View, range: Range | undefined): { from?: string; to?: string } {
  if (range === undefined) return {};
  const backMs = BACK_MS[range];
  if (backMs !== null) return { from: new Date(now.getTime() - backMs).toISOString() };
  const [from, to] = [params.from, params.to].map((text) => text && instantOf(text, zone));
  return { ...(from && { from }), ...(to && { to }) };
}

/** A `datetime-local` value in a zone as RFC 3339; as it is when it is none, so that it is judged. */
function instantOf(text: string, zone: string): string {
  const local = parseLocalTime(text);
  if (local === null) return text;
  return new Date(firstInstantOf(resolveLocalTime(local, zone))).toISOString();
}

/** The filters that hold, each with the address of the log without it. */
export function chipsOf(view: View, { input, range }: Asked): { label: string; removeHref: string }[] {
  const without = (...names: string[]) => logHref(view, Object.fromEntries(names.map((name) => [name, undefined])));
  const { from, to } = view.params;
  const written = (text: string | undefined) => text?.replace("T", ", ");
  const between = [from && `from ${written(from)}`, to && `before ${written(to)}`].filter(Boolean).join(" ");
  return [
    ...(input.q ? [{ label: `“${input.q}”`, removeHref: without("q") }] : []),
    ...(input.code ? [{ label: `Code: ${CODE_NAMES[input.code]}`, removeHref: without("code") }] : []),
    ...(input.schedule_id ? [{ label: `Only ${view.params.schedule_id}`, removeHref: without("schedule_id") }] : []),
    ...(range && (range !== "between" || between)
      ? [
          {
            label: range === "between" ? `${between} ${view.zone}` : RANGES[range],
            removeHref: without("range", "from", "to"),
          },
        ]
      : []),
  ];
}

/** The log with some of its parameters changed, from its first page on. */
export function logHref(view: View, changes: Readonly<Record<string, string | undefined>>): string {
  return hrefWith(view, { page: undefined, after: undefined, ...changes });
}

/** The parameters by which the newer attempts are counted: the filters, as the API writes them. */
export function newerHref(view: View, { input }: Asked, since: Date): string {
  const { q, outcome, code, from, to } = input;
  const query = new URLSearchParams({
    since: since.toISOString(),
    ...(q && { q }),
    ...(outcome && { outcome }),
    ...(code && { code }),
    ...(input.schedule_id && view.params.schedule_id && { schedule_id: view.params.schedule_id }),
    ...(from && { from: from.toISOString() }),
    ...(to && { to: to.toISOString() }),
    ...(view.env === "test" && { env: "test" }),
  });
  return `/logs/newer?${query}`;
}
