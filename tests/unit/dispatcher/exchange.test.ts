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

/** An exchange whose request was written and whose answer begins with `statusCode`. `results` receives its result. */
function start(statusCode: number) {
  const results: Partial<AttemptResult>[] = [];
  const deps = {
    deliveries: { move() {}, end: (_delivery: unknown, _outcome: unknown, measured: object) => results.push(measured) },
    pool: { answered() {}, rest() {}, release() {} },
    sendQueue: { isFirst: () => false, mayLeave: () => true },
    lead: { hold: () => true },
    clock: { now: () => 0, monotonic: () => 0 },
    provenWait: { start: () => ({ atMs: 0, idleMs: 0 }), until: () => 0 },
    metrics: { sent() {} },
  };
  const delivery = {
    connection: { used: true } as Connection,
    request: { method: "POST", path: "/", headers: [], body: null },
    claim: { row: claimedSchedule(), startedAtMs: 0 },
  };
  const exchange = new Exchange(deps as unknown as ExchangeDeps, delivery as unknown as Delivery, () => {});
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, statusCode, {});
  return { exchange, results };
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
