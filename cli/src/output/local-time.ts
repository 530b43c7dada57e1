/** The zone of this machine's clock, such as `Europe/Berlin`; TZ sets another one. */
export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** An instant of the service by the clock of this machine: `2026-03-29 09:00:00.000`. Name the zone beside it. */
export function localTime(instant: string): string {
  const at = new Date(instant);
  const two = (part: number) => String(part).padStart(2, "0");
  const date = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** The same with the offset and the zone: `2026-03-29 09:00:00.000 +02:00 (Europe/Berlin)`. */
export function localTimeInZone(instant: string): string {
  const minutes = -new Date(instant).getTimezoneOffset();
  const two = (part: number) => String(Math.trunc(Math.abs(part))).padStart(2, "0");
  const offset = `${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
  return `${localTime(instant)} ${offset} (${localZone()})`;
}
