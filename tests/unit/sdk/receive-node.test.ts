import { once as emitted } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, it, onTestFinished, vi } from "vitest";
import { generateSigningSecret } from "#domain/signing.ts";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import {
  type Delivery,
  memoryOnce,
  type ReceiveOptions,
  receive,
  receiveNode,
  signDelivery,
} from "../../../sdk/src/receive.ts";

const SECRET = generateSigningSecret();
const BODY = '{"customer": "cus_81"}';

type Before = (request: IncomingMessage & { body?: unknown; rawBody?: unknown }) => unknown;

/** A server whose one handler is `receiveNode`. `before` runs first, as a parser in front of it does. */
async function serve(options: Partial<ReceiveOptions> = {}, before: Before = () => {}) {
  const onDelivery = vi.fn<(delivery: Delivery) => unknown>();
  const onError = vi.fn<(error: unknown) => void>();
  const handle = receiveNode({ secrets: [SECRET], onDelivery, onError, ...options });
  const handled = vi.fn<() => void>();
  const { port, origin, close } = await serveHttp(async (request, response) => {
    await before(request);
    await handle(request, response);
    handled();
  });
  onTestFinished(close);
  return { url: `${origin}/`, port, onDelivery, onError, handled };
}

async function post(url: string, body = BODY, secret = SECRET): Promise<{ status: number; text: string }> {
  const headers = await signDelivery({ secret, body, scheduleId: "sch_1" });
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

it("receiveNode runs a delivery, refuses a forged one, and runs none twice", async () => {
  const { url, onDelivery } = await serve({ once: memoryOnce() });
  expect(await post(url)).toEqual({ status: 200, text: "ok" });
  expect(onDelivery.mock.calls[0]?.[0].json()).toEqual({ customer: "cus_81" });
  expect((await post(url, BODY, generateSigningSecret())).text).toMatch(/^no_match: /);
  expect(await post(url)).toEqual({ status: 200, text: "done" });
  expect(onDelivery).toHaveBeenCalledOnce();
});

it("receiveNode accepts a GET without a body, and a body that comes in many pieces", async () => {
  const { url, port, onDelivery } = await serve();
  const headers = await signDelivery({ secret: SECRET, body: "" });
  expect((await fetch(url, { headers })).status).toBe(200);
  const body = "ä".repeat(50);
  const sending = request({ port, method: "POST", headers: await signDelivery({ secret: SECRET, body }) });
  sending.setNoDelay(true);
  for (const byte of Buffer.from(body)) sending.write(Buffer.from([byte]));
  sending.end();
  const [response] = (await emitted(sending, "response")) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
  expect(onDelivery.mock.calls[1]?.[0].text()).toBe(body);
});

it("receiveNode accepts a signature header that came twice", async () => {
  const { port, onDelivery } = await serve();
  const headers = await signDelivery({ secret: SECRET, body: BODY });
  const other = await signDelivery({ secret: generateSigningSecret(), body: BODY });
  const twice = { ...headers, "webhook-signature": [other["webhook-signature"], headers["webhook-signature"]] };
  const sending = request({ port, method: "POST", headers: twice }).end(BODY);
  const [response] = (await emitted(sending, "response")) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
  expect(onDelivery).toHaveBeenCalledOnce();
});

it.each<[string, Before]>([
  ["rawBody", async (request) => Object.assign(request, { rawBody: await buffer(request), body: { parsed: true } })],
  ["a body of bytes", async (request) => Object.assign(request, { body: await buffer(request) })],
  ["a body of text", async (request) => Object.assign(request, { body: String(await buffer(request)) })],
  ["an empty object beside a body that nobody read", (request) => Object.assign(request, { body: {} })],
])("receiveNode accepts a body that a parser has read: %s", async (_, before) => {
  const { url, onDelivery } = await serve({}, before);
  expect(await post(url)).toEqual({ status: 200, text: "ok" });
  expect(onDelivery.mock.calls[0]?.[0].text()).toBe(BODY);
});

it("receiveNode applies maxBytes to a body that a parser has read, too", async () => {
  const { url } = await serve({ maxBytes: 5 }, async (request) =>
    Object.assign(request, { body: await buffer(request) }),
  );
  expect((await post(url)).status).toBe(413);
});

it.each<[string, string, Before]>([
  [
    "body_parsed",
    "before express.json()",
    async (request) => Object.assign(request, { body: JSON.parse(String(await buffer(request))) }),
  ],
  ["body_used", "verify first", async (request) => void (await buffer(request))],
])("receiveNode answers 500 and says what to do when the raw bytes are lost: %s", async (reason, fix, before) => {
  const { url, onDelivery, onError } = await serve({}, before);
  expect(await post(url)).toEqual({ status: 500, text: expect.stringContaining(fix) });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason }));
  expect(onDelivery).not.toHaveBeenCalled();
});

it("receiveNode answers 413 as soon as the body is too large, and the connection serves the next request", async () => {
  const { port, onDelivery } = await serve({ maxBytes: 1_000 });
  const headers = await signDelivery({ secret: SECRET, body: BODY });
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  const rest = 1_000_000;
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\n${head.join("")}Content-Length: ${2_000 + rest}\r\n\r\n${"x".repeat(2_000)}`,
  );
  await waitFor("the first one is answered", () => /^HTTP\/1\.1 413 /.test(received));
  socket.write("x".repeat(rest));
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${head.join("")}Content-Length: ${BODY.length}\r\n\r\n${BODY}`);
  await waitFor("the next one is answered", () => /HTTP\/1\.1 200 /.test(received));
  expect(onDelivery).toHaveBeenCalledOnce();
});

it("receiveNode runs nothing and reports no error when the client disconnects", async () => {
  const { port, onDelivery, onError, handled } = await serve();
  const headers = await signDelivery({ secret: SECRET, body: BODY });
  const sending = request({ port, method: "POST", headers: { ...headers, "Content-Length": BODY.length } });
  sending.on("error", () => {});
  sending.write(BODY.slice(0, 5));
  await waitFor("it is connected", () => sending.socket?.connecting === false);
  sending.destroy();
  await waitFor("the request is handled", () => handled.mock.calls.length > 0);
  expect(onDelivery).not.toHaveBeenCalled();
  expect(onError).not.toHaveBeenCalled();
});

/** What `handle` does with a request whose body a parser left, and with Express's `next`. */
async function passedOn(options: Partial<ReceiveOptions>, body: unknown = BODY, isBegun = false) {
  const handle = receiveNode({ secrets: [SECRET], onDelivery: () => {}, onError: () => {}, ...options });
  const headers = await signDelivery({ secret: SECRET, body: BODY });
  const response = { statusCode: 0, headersSent: isBegun, setHeader: () => {}, end: vi.fn() };
  const next = vi.fn();
  const request = { headers, body, readableDidRead: true, iterator: () => expect.fail(), resume: () => {} };
  await handle(request, response, next);
  return { response, next };
}

it("receiveNode passes an error of onDelivery to next, and does not answer itself", async () => {
  const error = new Error("out of stock");
  const onError = vi.fn();
  const { response, next } = await passedOn({ onDelivery: () => Promise.reject(error), onError });
  expect(next).toHaveBeenCalledExactlyOnceWith(error);
  expect(response.end).not.toHaveBeenCalled();
  expect(onError).not.toHaveBeenCalled();
});

it("receiveNode answers itself in all other cases, even when there is a next", async () => {
  const misconfigured = await passedOn({}, { parsed: true });
  expect(misconfigured.response).toMatchObject({ statusCode: 500 });
  expect(misconfigured.response.end).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("before express.json()"));
  const right = await passedOn({});
  expect(right.response.statusCode).toBe(200);
  for (const { next } of [misconfigured, right]) expect(next).not.toHaveBeenCalled();
});

it("receiveNode does not end a response that something else has begun", async () => {
  const { response } = await passedOn({}, BODY, true);
  expect(response.end).not.toHaveBeenCalled();
});

it("receive behind an adapter of Node's streams sends the answer to a body that is too large", async () => {
  const handle = receive({ secrets: [SECRET], onDelivery: () => {}, maxBytes: 1_000 });
  const { origin, close } = await serveHttp(async (message, response) => {
    const body = Readable.toWeb(message) as ReadableStream;
    const headers = new Headers(message.headers as Record<string, string>);
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const { status } = await handle(new Request("http://localhost/", init));
    response.writeHead(status).end();
  });
  onTestFinished(close);
  const body = "x".repeat(5_000_000);
  expect((await post(`${origin}/`, body)).status).toBe(413);
});
