import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { endConnectionsOnClose } from "#server/edge/end-connections.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** A server, and a caller on one connection whose answers are collected. */
async function serve(
  onRequest: (response: ServerResponse) => void,
  { isBehindProxy = false, ...times }: { isBehindProxy?: boolean; cutAfterMs?: number; servesOnForMs?: number } = {},
) {
  const server = createServer();
  const addAnswer = endConnectionsOnClose(server, () => isBehindProxy, times);
  server.on("request", (_request, response) => {
    addAnswer(response);
    onRequest(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let received = "";
  caller.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const closed = once(server, "close");
  return { server, caller, closed, received: () => received };
}

it("a caller that asks again and again gets an answer that ends the connection once the server is closed", async () => {
  let answers = 0;
  const { server, caller, closed, received } = await serve((response) => {
    if (++answers === 3) server.close();
    response.end("ok");
  });
  caller.on("data", () => caller.write(REQUEST));
  caller.write(REQUEST);
  await Promise.all([closed, once(caller, "close")]);
  expect(answers).toBe(3);
  expect(received().match(/^connection: .*$/gim)).toEqual([
    "Connection: keep-alive",
    "Connection: keep-alive",
    "Connection: close",
  ]);
});

it("an answer that has begun is completed, and its connection ends with it", async () => {
  const { server, caller, closed, received } = await serve((response) => {
    response.write("begun, ");
    server.close();
    setImmediate(() => response.end("done"));
  });
  caller.write(REQUEST);
  await Promise.all([closed, once(caller, "close")]);
  expect(received()).toMatch(/begun, .*done/s);
});

it("a connection whose answer never comes is cut in the end", async () => {
  const { server, caller, closed } = await serve(() => void server.close(), { cutAfterMs: 50 });
  caller.write(REQUEST);
  await Promise.all([closed, once(caller, "close")]);
});

it("behind a proxy, calls on idle and on new connections of a server that stops are answered, and end them", async () => {
  const { server, caller, closed, received } = await serve((response) => response.end("ok"), { isBehindProxy: true });
  const { port } = server.address() as AddressInfo;
  caller.write(REQUEST);
  await waitFor("the first answer", () => received().includes("ok"));
  const stopped = new Promise((resolve) => server.close(resolve));
  caller.write(REQUEST);
  await once(caller, "close");
  expect(received().match(/^connection: .*$/gim)).toEqual(["Connection: keep-alive", "Connection: close"]);
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect([await answer.text(), answer.headers.get("connection")]).toEqual(["ok", "close"]);
  await Promise.all([closed, stopped]);
});

it("behind a proxy, an idle connection ends with the time in which a server that stops serves on", async () => {
  const times = { isBehindProxy: true, servesOnForMs: 1 };
  const { server, caller, closed, received } = await serve((response) => response.end("ok"), times);
  caller.write(REQUEST);
  await waitFor("the answer", () => received().includes("ok"));
  server.close();
  await Promise.all([closed, once(caller, "close")]);
});

it("without a proxy an idle connection ends with the server", async () => {
  const { server, caller, closed, received } = await serve((response) => response.end("ok"));
  caller.write(REQUEST);
  await waitFor("the answer", () => received().includes("ok"));
  server.close();
  await Promise.all([closed, once(caller, "close")]);
});

it("behind a proxy the listener is closed in a turn of the event loop in which nothing is done, so that hardly anybody is cut off", async () => {
  const { server, caller } = await serve((response) => response.end(), { isBehindProxy: true, servesOnForMs: 0 });
  const wasListening: boolean[] = [];
  await new Promise<void>((resolve) => {
    const turn = (left: number) => {
      if (wasListening.length === 0) server.close();
      const until = performance.now() + 2;
      while (performance.now() < until);
      wasListening.push(server.listening);
      if (left > 0) setImmediate(turn, left - 1);
      else resolve();
    };
    turn(7);
  });
  expect(wasListening).toEqual(Array(8).fill(true));
  await waitFor("the listener is closed", () => !server.listening);
  caller.destroy();
});
