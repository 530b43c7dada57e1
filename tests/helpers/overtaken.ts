/** A first request. Instants are epoch ms. */
export type FirstRequest = {
  /** Its lane and origin. Requests of two flows are not compared. */
  flow: string;
  dueAtMs: number;
  /** When its first byte was seen. */
  sentAtMs: number;
  /** Its first byte did not come before this; without it, it came when it was seen. */
  sentAfterMs?: number;
  /** From then on none that is due later may be sent ahead of it: it is late, and its dispatcher surely knows it. */
  mayNotWaitFromMs: number;
  /** Whether it may have been sent ahead of others for a good reason. */
  isExcused?: boolean;
};

/**
 * Finds the requests that were overtaken: another one of the same flow, due later, was sent `aheadMs` or more before them. Returns
 * each with the first that overtook it.
 */
export function findOvertaken<T extends FirstRequest>(
  requests: readonly T[],
  aheadMs: number,
): { earlier: T; later: T }[] {
  return [...Map.groupBy(requests, ({ flow }) => flow).values()].flatMap((flow) => findIn(flow, aheadMs));
}

function findIn<T extends FirstRequest>(flow: T[], aheadMs: number): { earlier: T; later: T }[] {
  flow.sort((a, b) => b.dueAtMs - a.dueAtMs);
  /** Those due after the current one, in the order in which they were sent. */
  const dueLater: T[] = [];
  let next = 0;
  return flow.flatMap((earlier) => {
    for (; (flow[next] as T).dueAtMs > earlier.dueAtMs; next++) {
      const one = flow[next] as T;
      if (!one.isExcused) dueLater.splice(sentBefore(dueLater, one.sentAtMs), 0, one);
    }
    const later = dueLater[sentBefore(dueLater, earlier.mayNotWaitFromMs)];
    const sentAfterMs = earlier.sentAfterMs ?? earlier.sentAtMs;
    return later && later.sentAtMs <= sentAfterMs - aheadMs ? [{ earlier, later }] : [];
  });
}

/** How many of `requests`, which are in the order in which they were sent, were sent before `atMs`. */
function sentBefore(requests: readonly FirstRequest[], atMs: number): number {
  let [from, until] = [0, requests.length];
  while (from < until) {
    const middle = (from + until) >>> 1;
    if ((requests[middle] as FirstRequest).sentAtMs < atMs) from = middle + 1;
    else until = middle;
  }
  return from;
}
