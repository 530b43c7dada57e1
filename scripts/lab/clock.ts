/** The system's clock in epoch ms. The fraction of the millisecond comes from the monotonic clock. */
export function preciseNow(): number {
  const systemMs = Date.now();
  const fineMs = performance.timeOrigin + performance.now();
  return Math.min(Math.max(fineMs, systemMs), systemMs + 0.999);
}
