import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import { ConfirmedLatency } from "#dispatcher/runtime/confirmed-latency.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** Occupies the event loop. */
function beBusy(ms: number): void {
  for (const untilMs = monotonicNow() + ms; monotonicNow() < untilMs; );
}

it("the time that an answer waits in its socket while the process is busy is not counted as its latency", async () => {
  const latency = new ConfirmedLatency(monotonicNow);
  const server = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const socket: Socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const confirmed: number[] = [];
  for (let n = 0; n < 10; n++) {
    const start = latency.start();
    socket.write("x");
    // The server in this process answers in the next turn of the event loop. The answer is read in the one after.
    setImmediate(() => beBusy(50));
    await once(socket, "data");
    expect(monotonicNow() - start.atMs).toBeGreaterThan(50);
    confirmed.push(latency.until(start));
  }
  socket.destroy();
  server.close();
  expect(Math.min(...confirmed)).toBeLessThan(25);
});

it("while the process is idle, the whole wait for an answer is counted", async () => {
  const latency = new ConfirmedLatency(monotonicNow);
  const start = latency.start();
  const before = performance.eventLoopUtilization();
  const idleMs = () => performance.eventLoopUtilization(before).idle;
  await waitFor("the process has idled for a while", () => idleMs() > 100);
  const idledMs = idleMs();
  expect(latency.until(start)).toBeGreaterThanOrEqual(idledMs);
});

it("while a busy process reads other answers, the wait until the last of them is counted", async () => {
  const latency = new ConfirmedLatency(monotonicNow);
  const start = latency.start();
  for (let n = 0; n < 4; n++) {
    const other = latency.start();
    beBusy(30);
    latency.until(other);
    await new Promise(setImmediate);
  }
  expect(latency.until(start)).toBeGreaterThanOrEqual(90);
});
