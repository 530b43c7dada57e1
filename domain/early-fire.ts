/**
 * Milliseconds that an early-firing request leaves ahead of its instant, so that it arrives on time: half the measured
 * connect round trip of the target's origin plus the local send cost, or 25 ms when no round trip is known
 * (`connectRttMs` null), always within 1 to 500 ms. May be fractional.
 */
export function earlyLeadMs({ connectRttMs, sendCostMs }: { connectRttMs: number | null; sendCostMs: number }): number {
  const estimateMs = connectRttMs === null ? UNKNOWN_LEAD_MS : connectRttMs / 2 + sendCostMs;
  return Math.min(LEAD_MAX_MS, Math.max(LEAD_MIN_MS, estimateMs));
}

const UNKNOWN_LEAD_MS = 25;
const LEAD_MIN_MS = 1;
const LEAD_MAX_MS = 500;
