const COUNT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A count with thousands separators: `184,216`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/**
 * A ratio of 0 to 1 in percent, without the sign: `99.99`, `100`, `0.04`. Truncated to two decimals, so that 100 means all.
 */
export function formatPercent(share: number): string {
  // Truncates decimal text, since 0.2999 * 10,000 is 2,998.9999… in floating point.
  const hundredths = Math.floor(Number((Math.min(Math.max(share, 0), 1) * 10_000).toFixed(6)));
  const capped = share < 1 ? Math.min(hundredths, 9_999) : 10_000;
  return String(capped / 100);
}

/** A size in bytes: `312 B`, `50 KiB`, `1.5 MiB`; at most one decimal. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${formatCount(bytes)} B`;
  const isMebi = bytes >= 1_048_576;
  const value = Math.round((bytes / (isMebi ? 1_048_576 : 1_024)) * 10) / 10;
  return `${value} ${isMebi ? "MiB" : "KiB"}`;
}
