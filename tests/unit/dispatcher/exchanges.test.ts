import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import type { Connection } from "#dispatcher/delivery/connection.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import type { ExchangeDeps } from "#dispatcher/sending/exchange.ts";
import { Exchanges } from "#dispatcher/sending/exchanges.ts";
import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import { claimedSchedule } from "../../helpers/claimed-schedule.ts";

/** A request on the wire at 0 ms; `roundAt` checks its deadline, and returns whether it was given up by then. */
function start({ hasUnread }: { hasUnread: boolean }) {
  let nowMs = 0;
  let isAborted = false;
  const controller = { abort: () => (isAborted = true) } as unknown as Dispatcher.DispatchController;
  const connection = {
    client: {
      dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => handler.onRequestStart?.(controller, {}),
    },
    requestsLeft: Number.POSITIVE_INFINITY,
    hasUnread,
  };
  const exchanges = new Exchanges({
    deliveries: { move() {} },
    sendQueue: { isFirst: () => false, mayLeave: () => true, releaseLate() {} },
    lead: { hold: () => true },
    clock: { now: () => nowMs, monotonic: () => nowMs },
    confirmedLatency: { start: () => ({ atMs: 0, idleMs: 0 }) },
    metrics: { sent() {} },
  } as unknown as ExchangeDeps);
  exchanges.begin({
    connection: connection as unknown as Connection,
    request: { method: "POST", path: "/", headers: [], body: null },
    claim: { row: claimedSchedule(), startedAtMs: 0 },
  } as unknown as Delivery);
  const roundAt = (atMs: number) => {
    nowMs = atMs;
    exchanges.runOnce();
    return isAborted;
  };
  return { connection, roundAt };
}

/** The first check after the process was stopped. */
const AFTER_STOP_MS = ATTEMPT_DEADLINE_MS + 10_000;

describe("the deadline of a request", () => {
  it("ends it where the process was not stopped, whatever waits to be read", () => {
    const { roundAt } = start({ hasUnread: true });
    expect([roundAt(ATTEMPT_DEADLINE_MS - 1), roundAt(ATTEMPT_DEADLINE_MS + 50)]).toEqual([false, true]);
  });

  it("leaves one round, after the process was stopped, for what waits in the socket", () => {
    const { roundAt } = start({ hasUnread: false });
    expect([roundAt(AFTER_STOP_MS), roundAt(AFTER_STOP_MS + 100)]).toEqual([false, true]);
  });

  it("leaves rounds, after the process was stopped, until what has come was read in its turn", () => {
    const { connection, roundAt } = start({ hasUnread: true });
    expect([0, 100, 200].map((ms) => roundAt(AFTER_STOP_MS + ms))).toEqual([false, false, false]);
    connection.hasUnread = false;
    expect(roundAt(AFTER_STOP_MS + 300)).toBe(true);
  });

  it("ends it at last, though a target goes on sending", () => {
    const { roundAt } = start({ hasUnread: true });
    const rounds = Array.from({ length: 60 }, (_, n) => roundAt(AFTER_STOP_MS + n * 100));
    expect(rounds.filter((isOver) => !isOver)).toHaveLength(30);
  });
});
