/**
 * Watches this thread from now on. Returns a function that ends it and returns the most processor time that the thread took in
 * one go, between two turns of its event loop, ms.
 */
export function watchBlocks(): () => number {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
  };
  // Due in each turn that takes longer than a millisecond.
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return longestMs;
  };
}
