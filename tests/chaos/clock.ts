/** The system's clock in epoch ms, with the fraction of its millisecond taken from the monotonic one. */
export function preciseNow(): number {
  const systemMs = Date.now();
  const fineMs = performance.timeOrigin + performance.now();
  return Math.min(Math.max(fineMs, systemMs), systemMs + 0.999);
}
