const ZONES_MAX = 20;

/**
 * Returns date formats by IANA zone. Creating an `Intl.DateTimeFormat` is slow, so the formats of the last few zones
 * are cached. Throws a RangeError for a zone that does not exist.
 */
export function formatsByZone(
  locale: string,
  options: Readonly<Intl.DateTimeFormatOptions>,
): (zone: string) => Intl.DateTimeFormat {
  const kept = new Map<string, Intl.DateTimeFormat>();
  return (zone) => {
    const known = kept.get(zone);
    if (known) return known;
    const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    if (kept.size >= ZONES_MAX) kept.clear();
    kept.set(zone, made);
    return made;
  };
}
