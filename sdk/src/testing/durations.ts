const NUMBER = String.raw`\d{1,12}(?:\.\d{1,9}(?=[A-Za-z]$))?`;
const unit = (letter: string) => `(?:(${NUMBER})${letter})?`;
const COMPACT = new RegExp(`^(?=.)${[..."wdhms"].map(unit).join("")}$`);
const ISO_8601 = new RegExp(`^P(?=.)${unit("W")}${unit("D")}(?:T(?=.)${unit("H")}${unit("M")}${unit("S")})?$`);
const UNITS_MS = [604_800_000n, 86_400_000n, 3_600_000n, 60_000n, 1_000n];
const MAX_MS = 365_250 * 86_400_000;

/** A duration such as `90s`, `1h30m` or `PT90M` in ms, rounded up; null for anything else, and beyond 365,250 days. */
export function parseDuration(text: string): number | null {
  const match = COMPACT.exec(text) ?? ISO_8601.exec(text);
  if (!match) return null;
  // Whole numbers, so that 0.1h is exact.
  const billionths = UNITS_MS.reduce((sum, unitMs, at) => {
    const [whole = "", decimals = ""] = (match[at + 1] ?? "0").split(".");
    return sum + unitMs * BigInt(whole + decimals.padEnd(9, "0"));
  }, 0n);
  const ms = Number((billionths + 999_999_999n) / 1_000_000_000n);
  return ms <= MAX_MS ? ms : null;
}
