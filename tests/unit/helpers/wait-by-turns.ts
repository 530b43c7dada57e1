/**
 * Waits until `condition` holds, for tests whose timers are fake: checks it in each turn of the event loop, in which
 * sockets are read too. Fails with `what` when it does not hold before `deadlineMs`.
 */
export async function waitByTurns(what: string, condition: () => unknown, deadlineMs = 30_000): Promise<void> {
  // Fake timers leave this clock as it is.
  const endS = process.uptime() + deadlineMs / 1_000;
  while (!condition()) {
    if (process.uptime() > endS) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
