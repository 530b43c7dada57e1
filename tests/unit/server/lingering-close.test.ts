import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { closeAfterEarlyResponse } from "#server/edge/lingering-close.ts";
import { waitByTurns } from "../helpers/wait-by-turns.ts";

let peer: Socket | undefined;
const problems: string[] = [];
const server = createServer((request, response) => {
  peer = request.socket;
  closeAfterEarlyResponse(request, response);
  response.end("early");
});
server.on("clientError", ({ code }: NodeJS.ErrnoException) => problems.push(code ?? ""));

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

it("bytes that arrive after an early answer are read but not parsed, until the connection is closed", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  let got = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    got += text;
  });
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  await waitByTurns("it is answered", () => got.endsWith("early"));
  const before = peer?.bytesRead ?? 0;
  socket.write("no chunk\r\n".repeat(10_000));
  await waitByTurns("all of it is read", () => peer?.bytesRead === before + 100_000);
  expect(problems).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(peer?.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(peer?.destroyed).toBe(true);
  socket.destroy();
});
