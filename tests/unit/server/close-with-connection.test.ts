import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeWithConnection } from "#server/edge/close-with-connection.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const responses = new Map<string, ServerResponse>();
const closed: string[] = [];
const server = createServer((request, response) => {
  const { url = "" } = request;
  responses.set(url, response);
  response.on("close", () => closed.push(url));
  closeWithConnection(request.socket, response);
  request.resume();
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

it("a pipelined response that waits for an earlier one closes with the connection, once", async () => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(get("/first") + get("/second") + get("/third"));
  await waitFor("all requests have arrived", () => responses.size === 3);
  responses.get("/second")?.end("made, and not sent");
  socket.destroy();
  await waitFor("all responses are closed", () => closed.length === 3);
  responses.get("/third")?.end("too late");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(closed.toSorted()).toEqual(["/first", "/second", "/third"]);
});

it("a response that was sent is not closed a second time with its connection", async () => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  for (const path of ["/a", "/b"]) {
    socket.write(get(path));
    await waitFor("the request has arrived", () => responses.has(path));
    responses.get(path)?.end("x");
    await waitFor("the response is closed", () => closed.includes(path));
  }
  const ended = new Promise((resolve) => responses.get("/b")?.req.socket.once("close", resolve));
  socket.destroy();
  await ended;
  expect(closed.filter((path) => path === "/a" || path === "/b")).toEqual(["/a", "/b"]);
});
