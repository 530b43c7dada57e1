import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { generateSigningSecret } from "#domain/signing.ts";
import { type ReceiveOptions, receive, receiveNode, signDelivery } from "../../../sdk/src/receive.ts";

const SECRET = generateSigningSecret();
const BODY = '{"order":"ord_1"}';
// biome-ignore lint/suspicious/noExplicitAny: frameworks are not installed with the project, and so are their types
type Untyped = any;

const load = createRequire(new URL("../../runtimes/package.json", import.meta.url));

/** A test with a package of tests/runtimes, which says that it is not run where that is not installed. */
function withPackage(name: string, title: string, run: (framework: Untyped) => Promise<void>) {
  let framework: unknown;
  try {
    framework = load(name);
  } catch {
    it.skip(`not run, since ${name} is missing: ${title}`, () => {});
    return;
  }
  it(title, () => run(framework));
}

function options(overrides: Partial<ReceiveOptions> = {}) {
  const onDelivery = vi.fn();
  const onError = vi.fn();
  return { secrets: [SECRET], onDelivery, onError, ...overrides };
}

/** Serves a listener, and sends it a signed JSON body. */
async function post(listener: RequestListener, body = BODY) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const headers = { ...(await signDelivery({ secret: SECRET, body })), "Content-Type": "application/json" };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

withPackage("express", "Express takes a delivery on a route before express.json()", async (express) => {
  const taken = options();
  const app = express().post("/hook", receiveNode(taken)).use(express.json());
  expect(await post(app)).toEqual({ status: 200, text: "ok" });
  expect(taken.onDelivery).toHaveBeenCalledOnce();
});

withPackage(
  "express",
  "Express after express.json() answers 500 that says what to do, and runs nothing",
  async (express) => {
    const refused = options();
    const app = express().use(express.json()).post("/hook", receiveNode(refused));
    expect(await post(app)).toEqual({ status: 500, text: expect.stringContaining("before express.json()") });
    expect(refused.onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "body_parsed" }));
    expect(refused.onDelivery).not.toHaveBeenCalled();
  },
);

withPackage(
  "express",
  "Express after express.json() takes a rawBody, and the bytes of express.raw()",
  async (express) => {
    const verify = (request: { rawBody: Buffer }, _: unknown, bytes: Buffer) => {
      request.rawBody = bytes;
    };
    const taken = options();
    const kept = express().use(express.json({ verify })).post("/hook", receiveNode(taken));
    const raw = express().post("/hook", express.raw({ type: "*/*" }), receiveNode(taken));
    const text = express().post("/hook", express.text({ type: "*/*" }), receiveNode(taken));
    for (const app of [kept, raw, text]) expect((await post(app)).status).toBe(200);
    expect(taken.onDelivery).toHaveBeenCalledTimes(3);
  },
);

withPackage(
  "express",
  "Express gives what onDelivery throws to the application's own handler of errors",
  async (express) => {
    const error = new Error("out of stock");
    const failing = options({ onDelivery: () => Promise.reject(error) });
    const seen = vi.fn();
    const app = express()
      .post("/hook", receiveNode(failing))
      .use((thrown: unknown, _request: unknown, response: Untyped, _next: unknown) => {
        seen(thrown);
        response.status(500).end("by the application");
      });
    expect(await post(app)).toEqual({ status: 500, text: "by the application" });
    expect(seen).toHaveBeenCalledExactlyOnceWith(error);
    expect(failing.onError).not.toHaveBeenCalled();
  },
);

withPackage(
  "fastify",
  "Fastify with its own parser answers 500 that says what to do, and runs nothing",
  async (fastify) => {
    const refused = options();
    const handle = receiveNode(refused);
    const app = fastify();
    onTestFinished(() => app.close());
    app.post("/hook", async (request: Untyped, reply: Untyped) => {
      reply.hijack();
      await handle(request.raw, reply.raw);
    });
    await app.ready();
    const answer = await post((request, response) => app.routing(request, response));
    expect(answer).toEqual({ status: 500, text: expect.stringContaining("verify first") });
    expect(refused.onDelivery).not.toHaveBeenCalled();
  },
);

withPackage("@hono/node-server", "Hono on Node.js sends the answer to a body that is too large", async (server) => {
  const { Hono } = load("hono");
  const refused = options({ maxBytes: 1_000 });
  const handle = receive(refused);
  const app = new Hono().post("/hook", (context: Untyped) => handle(context.req.raw));
  const listener = server.getRequestListener(app.fetch);
  expect(await post(listener, "x".repeat(5_000_000))).toEqual({ status: 413, text: expect.stringContaining("1000") });
  expect((await post(listener)).status).toBe(200);
  expect(refused.onDelivery).toHaveBeenCalledOnce();
});
