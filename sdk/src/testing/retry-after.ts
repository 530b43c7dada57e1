const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
const MONTH = `(?<month>${MONTHS.replaceAll(" ", "|")})`;
const TIME = "(?<time>\\d\\d:\\d\\d:\\d\\d)";
const DAY_NAME = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY_NAME = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
const HTTP_DATES = [
  new RegExp(`^${DAY_NAME}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY_NAME}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY_NAME} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})$`),
];

/** The wait of a `Retry-After` header, ms: whole seconds, or one of the three HTTP dates (RFC 9110, 5.6.7). Null for others. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.replace(/^[ \t]+|[ \t]+$/g, "") ?? "";
  if (/^\d+$/.test(text)) return +text * 1_000;
  const groups = HTTP_DATES.map((form) => form.exec(text)?.groups).find((match) => match);
  if (!groups) return null;
  const { year = "", month = "", day = "", time = "" } = groups;
  const number = year.length === 2 ? expandYear(+year, nowMs) : +year;
  const iso = `${`${number}`.padStart(4, "0")}-${`${MONTHS.indexOf(month) / 4 + 1}`.padStart(2, "0")}-${day.trim().padStart(2, "0")}`;
  // A leap second counts as the one before it.
  const ms = Date.parse(`${iso}T${time.replace(/60$/, "59")}Z`);
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(iso);
  return isReal ? Math.max(0, ms - nowMs) : null;
}

// A two-digit year that seems more than 50 years ahead is the last past year with these digits.
function expandYear(twoDigits: number, nowMs: number): number {
  const nowYear = new Date(nowMs).getUTCFullYear();
  const year = nowYear - (nowYear % 100) + twoDigits;
  return year > nowYear + 50 ? year - 100 : year;
}
