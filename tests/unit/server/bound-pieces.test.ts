import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { boundPieces } from "#server/edge/bound-pieces.ts";
import { pause } from "#tests/helpers/time.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const MIB = 1024 * 1024;

/** For how long nobody reads the body, ms. */
let idleMs = 0;
let outcome: { bytes: number; failed?: unknown } | undefined;
const server = createServer(async (request, response) => {
  boundPieces(request);
  await pause(idleMs);
  outcome = await read(request);
  response.end("done");
});

async function read(request: IncomingMessage) {
  let bytes = 0;
  try {
    for await (const piece of request) bytes += piece.length;
    return { bytes };
  } catch (failed) {
    return { bytes, failed };
  }
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  outcome = undefined;
});

/** Sends 1 MiB in chunks of so many bytes. */
function send(chunkBytes: number) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  const chunk = `${chunkBytes.toString(16)}\r\n${"x".repeat(chunkBytes)}\r\n`;
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
  socket.write(`${chunk.repeat(MIB / chunkBytes)}0\r\n\r\n`);
  return socket.resume();
}

it.each([
  ["at once", 0],
  ["later", 200],
])("reading a body in chunks of one byte fails after some 20,000 of them: %s", async (_, ms) => {
  idleMs = ms;
  const socket = send(1);
  await waitFor("its reader has an error", () => outcome);
  expect(outcome).toMatchObject({ failed: { code: "TOO_MANY_PIECES" } });
  expect(outcome?.bytes).toBeLessThan(21_000);
  socket.destroy();
});

it("a body in chunks of 64 bytes arrives", async () => {
  const socket = send(64);
  await waitFor("it has arrived", () => outcome);
  expect(outcome).toEqual({ bytes: MIB });
  socket.destroy();
});
