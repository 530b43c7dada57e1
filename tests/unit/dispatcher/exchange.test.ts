import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import type { Connection } from "#dispatcher/delivery/connection.ts";
import type { AttemptResult, Delivery } from "#dispatcher/delivery/delivery.ts";
import { Exchange, type ExchangeDeps } from "#dispatcher/sending/exchange.ts";
import { claimedSchedule } from "../../helpers/claimed-schedule.ts";
import { collectGarbage } from "../../helpers/collect-garbage.ts";

const READ_AT_ONCE = 64 * 1024;
const KEPT = 8 * 1024;
const controller = { abort() {} } as unknown as Dispatcher.DispatchController;

const connect = () => ({ client: { dispatch() {} }, requestsLeft: Number.POSITIVE_INFINITY }) as unknown as Connection;

/** An exchange whose request was written and whose answer begins with `statusCode`. `results` receives its result. */
function start(statusCode: number, connection = connect(), headers = {}) {
  const reused: boolean[] = [];
  const results: Partial<AttemptResult>[] = [];
  const deps = {
    deliveries: { move() {}, end: (_delivery: unknown, _outcome: unknown, measured: object) => results.push(measured) },
    pool: {
      answered() {},
      rest: (_connection: unknown, then: (mayReuse: boolean) => void) => then(true),
      release: (_connection: unknown, reusable: boolean) => reused.push(reusable),
    },
    sendQueue: { isFirst: () => false, mayLeave: () => true },
    lead: { hold: () => true },
    clock: { now: () => 0, monotonic: () => 0 },
    confirmedLatency: {
      start: () => ({ atMs: 0, idleMs: 0 }),
      read: () => ({ atMs: 0, idleMs: 0, polledBeforeMs: 0 }),
      until: () => 0,
    },
    metrics: { sent() {} },
  };
  const delivery = {
    connection,
    request: { method: "POST", path: "/", headers: [], body: null },
    claim: { row: claimedSchedule(), startedAtMs: 0 },
  };
  const exchange = new Exchange(deps as unknown as ExchangeDeps, delivery as unknown as Delivery, () => {});
  exchange.begin();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, statusCode, headers);
  return { exchange, results, reused };
}

describe("the stored start of an answer", () => {
  it("keeps no reference to the buffers that it was read from, in however many chunks it arrives", async () => {
    const { exchange, results } = start(500);
    const read: WeakRef<ArrayBuffer>[] = [];
    (() => {
      for (let n = 0; n < 50; n++) {
        const { buffer } = new Uint8Array(READ_AT_ONCE).fill(97);
        read.push(new WeakRef(buffer));
        exchange.onResponseData(controller, Buffer.from(buffer, n, 1));
      }
    })();
    await collectGarbage();
    expect(read.filter((one) => one.deref() !== undefined)).toEqual([]);
    exchange.onResponseEnd();
    expect(results[0]?.body).toBe("a".repeat(50));
  });

  it("ends after 8 KiB, however much follows", () => {
    const { exchange, results } = start(500);
    exchange.onResponseData(controller, Buffer.alloc(KEPT - 1, "a"));
    expect(results).toHaveLength(0);
    exchange.onResponseData(controller, Buffer.from("bcd"));
    expect(results[0]?.body).toBe(`${"a".repeat(KEPT - 1)}b`);
  });
});

describe("a connection whose target bounds its requests", () => {
  /** Whether it may be used again after each of these answers. */
  function afterAnswers(...headers: object[]) {
    const connection = connect();
    return headers.map((one) => {
      const { exchange, reused } = start(204, connection, one);
      exchange.onResponseEnd();
      return reused[0];
    });
  }

  it("carries as many more as the answer says, whether later answers say so again or not", () => {
    expect(afterAnswers({ "keep-alive": "timeout=5, max=2" }, {}, {})).toEqual([true, true, false]);
    expect(afterAnswers({ "keep-alive": "max=2" }, { "keep-alive": "max=1" }, { "keep-alive": "max=0" })).toEqual([
      ...[true, true, false],
    ]);
    expect(afterAnswers({ "keep-alive": "max=1" }, { "keep-alive": "max=100" })).toEqual([true, false]);
    expect(afterAnswers({ "keep-alive": "max=0" })).toEqual([false]);
  });

  it("is closed when it says so, whatever else it says", () => {
    expect(afterAnswers({ "keep-alive": "max=5", connection: "Close" })).toEqual([false]);
  });
});
