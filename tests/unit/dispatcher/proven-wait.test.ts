import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { ProvenWait } from "#dispatcher/runtime/proven-wait.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { pause } from "../../helpers/time.ts";

/** Occupies the event loop. */
function beBusy(ms: number): void {
  for (const untilMs = monotonicNow() + ms; monotonicNow() < untilMs; );
}

it("an answer that waits in its socket while the process is busy has not taken that long", async () => {
  const wait = new ProvenWait(monotonicNow);
  const server = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const socket: Socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const proven: number[] = [];
  for (let n = 0; n < 10; n++) {
    const start = wait.start();
    socket.write("x");
    // The server in this process answers in the next turn of the event loop. The answer is read in the one after.
    setImmediate(() => beBusy(50));
    await once(socket, "data");
    expect(monotonicNow() - start.atMs).toBeGreaterThan(50);
    proven.push(wait.until(start));
  }
  socket.destroy();
  server.close();
  expect(Math.min(...proven)).toBeLessThan(25);
});

it("an answer for which an idle process waits has taken as long as it waited", async () => {
  const wait = new ProvenWait(monotonicNow);
  const start = wait.start();
  await pause(100);
  expect(wait.until(start)).toBeGreaterThan(90);
});

it("an answer that comes while others are read has taken as long as until the others were, although the process was busy", async () => {
  const wait = new ProvenWait(monotonicNow);
  const start = wait.start();
  for (let n = 0; n < 4; n++) {
    const other = wait.start();
    beBusy(30);
    wait.until(other);
    await new Promise(setImmediate);
  }
  expect(wait.until(start)).toBeGreaterThanOrEqual(90);
});
