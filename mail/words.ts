/** A number with thousands separators: 1,600. */
export const figure = (n: number): string => n.toLocaleString("en-US");

/** A day in UTC: 29 March. */
export const day = (ms: number): string =>
  new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** An instant to the minute: 29 March, 14:29 UTC. */
export const minute = (ms: number): string => `${day(ms)}, ${new Date(ms).toISOString().slice(11, 16)} UTC`;

/** The month of a period such as 202603: March. */
export const month = (period: string): string =>
  new Date(Date.UTC(2000, Number(period.slice(4)) - 1)).toLocaleDateString("en-GB", { month: "long", timeZone: "UTC" });

/** A span of whole minutes or hours: 15 minutes, 2 hours. */
export function span(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? "hour" : `${hours} hours`;
}

/** From when to when, to the minute: 02:12–03:10 UTC; with the days where these differ. Empty where it is not known. */
export function times({ fromMs, toMs }: { fromMs?: number; toMs?: number }): string {
  if (fromMs === undefined || toMs === undefined) return "";
  if (day(fromMs) !== day(toMs)) return `${minute(fromMs)} – ${minute(toMs)}`;
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(11, 16));
  return `${from === to ? from : `${from}–${to}`} UTC`;
}
