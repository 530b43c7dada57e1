import type { AddressInfo } from "node:net";
import { createServer as createNetServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Receiver, type Respond, startReceiver } from "#scripts/lab/receiver.ts";
import type { Answer } from "../../../../cli/src/listen/answer-memory.ts";
import type { Delivery } from "../../../../cli/src/listen/delivery.ts";
import { type ForwardOptions, forward } from "../../../../cli/src/listen/forward.ts";
import { explainFailure } from "../../../../cli/src/listen/local-failure.ts";
import { type RawBehaviour, startRawServer } from "../../../helpers/raw-server.ts";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver({ tls: false });
});
afterEach(() => receiver.close());

const never = new AbortController().signal;

function send(given: Partial<Delivery> = {}, options: Partial<ForwardOptions> = {}, signal = never) {
  const delivery: Delivery = {
    id: "exc_a",
    scheduleId: "sch_a",
    attempt: 1,
    deadlineMs: 0,
    method: "POST",
    path: "/hooks/a?x=1",
    headers: [],
    body: Buffer.alloc(0),
    ...given,
  };
  return forward(delivery, { to: new URL(receiver.origin), keepHost: false, insecure: false, ...options }, signal);
}

/** What a person is told; the service gets the code. */
function inWords(answer: Answer, to: URL): string | undefined {
  return "error" in answer ? explainFailure(answer.error, { to }) : undefined;
}

const answering = (respond: Respond) => {
  receiver.respond(respond);
  return send();
};

describe("a local request", () => {
  test("has the method, path, bytes and headers of the delivery, in their order and case", async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const headers: [string, string][] = [
      ["X-Second", "2"],
      ["content-TYPE", "application/octet-stream"],
      ["x-first", ""],
      ["X-Service-Signature", "t=1,v1=ab"],
    ];
    await send({ method: "PATCH", headers, body });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "PATCH", path: "/hooks/a?x=1", body });
    expect(request?.rawHeaders).toEqual([
      ...["host", new URL(receiver.origin).host, "connection", "keep-alive"],
      ...headers.flat(),
      ...["content-length", "256"],
    ]);
  });

  test.each([
    ["GET", 0, []],
    ["DELETE", 0, []],
    ["POST", 0, ["content-length", "0"]],
    ["GET", 3, ["content-length", "3"]],
  ])("%s with %i bytes has the length that a socket would get", async (method, bytes, expected) => {
    await send({ method, body: Buffer.alloc(bytes, "x") });
    expect(receiver.requests[0]?.rawHeaders.slice(4)).toEqual(expected);
    expect(receiver.requests[0]?.body).toHaveLength(bytes);
  });

  test("has the Host of the local server, or with --keep-host that of the target", async () => {
    const headers: [string, string][] = [
      ["host", "listen.invalid"],
      ["connection", "keep-alive"],
      ["X-A", "1"],
      ["content-length", "0"],
    ];
    await send({ headers });
    await send({ headers }, { keepHost: true });
    const own = ["connection", "keep-alive", "X-A", "1", "content-length", "0"];
    expect(receiver.requests.map(({ rawHeaders }) => rawHeaders)).toEqual([
      ["host", new URL(receiver.origin).host, ...own],
      ["host", "listen.invalid", ...own],
    ]);
  });

  test("goes to the path of --to where it has one, and stays on its host", async () => {
    await send({}, { to: new URL("/in/../hook", receiver.origin) });
    await send({ path: "//evil.example/a" });
    expect(await send({ path: "http://evil.example/" })).toEqual({ error: "INVALID_PATH" });
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook?x=1", "//evil.example/a"]);
  });

  test("takes any certificate with --insecure alone", async () => {
    const secure = await startReceiver();
    const to = new URL(secure.origin);
    try {
      expect(inWords(await send({}, { to }), to)).toMatch(/^the certificate of .* is not trusted.*--insecure/);
      expect(secure.requests).toEqual([]);
      expect(await send({}, { to, insecure: true })).toMatchObject({ status: 200 });
    } finally {
      await secure.close();
    }
  });
});

describe("the answer of a local server", () => {
  test.each([200, 204, 302, 304, 400, 404, 410, 500, 599])("of %i is passed on as it is", async (status) => {
    const answer = await answering((_, response) => {
      response.writeHead(status, { Location: `${receiver.origin}/elsewhere`, "Retry-After": "7" });
      response.end();
    });
    expect(answer).toMatchObject({ status, retry_after: "7", latency_ms: expect.any(Number) });
    expect(receiver.requests).toHaveLength(1);
  });

  test("has Retry-After as it was written", async () => {
    const when = "Wed, 21 Oct 2026 07:28:00 GMT";
    const answer = await answering((_, response) => response.writeHead(429, { "Retry-After": when }).end("slow"));
    expect(answer).toMatchObject({ status: 429, retry_after: when, body: "slow" });
  });

  test("has at most 8 KiB of the body, whole characters of its charset, and none of a success", async () => {
    const fail = (type: string, body: string | Buffer) =>
      answering((_, response) => response.writeHead(500, { "Content-Type": type }).end(body));
    const long = (await fail("text/plain", `x${"€".repeat(10_000)}`)) as { body: string };
    expect(long.body).toBe(`x${"€".repeat(2_730)}`);
    expect(await fail("text/plain; charset=ISO-8859-1", Buffer.from([0xe4]))).toMatchObject({ body: "ä" });
    expect(await fail("text/plain; charset=nonsense", "ä")).toMatchObject({ body: "ä" });
    const latin = (await fail("text/plain; charset=latin1", Buffer.alloc(9_000, 0xe4))) as { body: string };
    expect(Buffer.byteLength(latin.body)).toBe(8 * 1024);
    expect(await answering((_, response) => response.end("ok"))).toMatchObject({ status: 200, body: undefined });
  });

  test("counts from its status line on: a body that breaks or never ends changes nothing", async () => {
    expect(await answering((_, response) => void response.writeHead(200).write("x"))).toMatchObject({ status: 200 });
    const broken = await answering((_, response, socket) => {
      response.writeHead(500, { "Content-Length": "10" }).write("half", () => socket.destroy());
    });
    expect(broken).toMatchObject({ status: 500, body: "half" });
    expect(await answering((_, response) => void response.writeHead(503).write("slow"))).toMatchObject({
      status: 503,
      body: "slow",
    });
  });
});

describe("a local server without an answer", () => {
  const raw = async (behaviour: RawBehaviour) => {
    const server = await startRawServer(behaviour);
    try {
      const to = new URL(`http://localhost:${server.port}`);
      const answer = await send({}, { to });
      return { answer, words: inWords(answer, to), host: to.host };
    } finally {
      await server.close();
    }
  };

  test("that refuses is named, with what to look at", async () => {
    const closed = createNetServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const to = new URL(`http://localhost:${port}/hook`);
    expect(inWords(await send({}, { to }), to)).toBe(`localhost:${port} refused; is your server running?`);
  });

  test.each<[string, RawBehaviour, string]>([
    ["that resets", { onRequest: (socket) => socket.resetAndDestroy() }, "closed the connection without an answer"],
    ["that hangs up", { onRequest: (socket) => socket.end() }, "closed the connection without an answer"],
    [
      "that speaks something else",
      { onRequest: (socket) => socket.end("SSH-2.0\r\n\r\n") },
      "is not HTTP; is it https?",
    ],
  ])("%s is named", async (_what, behaviour, words) => {
    const { words: said, host } = await raw(behaviour);
    expect(said).toContain(words);
    expect(said).toContain(host);
  });

  test("that switches protocols is named", async () => {
    const { answer } = await raw({
      onRequest: (socket) => socket.write("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    });
    expect(answer).toEqual({ error: "SWITCHED_PROTOCOLS" });
  });

  test("that says 100 or 103 first is waited for", async () => {
    const { answer } = await raw({
      onRequest: (socket) =>
        socket.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\n\r\n"),
    });
    expect(answer).toMatchObject({ status: 201 });
  });

  test("that hangs is given up with the attempt, and its connection closed", async () => {
    const giveUp = new AbortController();
    const closed = Promise.withResolvers<void>();
    const server = await startRawServer({
      onRequest(socket) {
        socket.on("close", () => closed.resolve());
        giveUp.abort();
      },
    });
    try {
      const answer = await send({}, { to: new URL(`http://localhost:${server.port}`) }, giveUp.signal);
      expect(answer).toEqual({ error: "ABORT_ERR" });
      await closed.promise;
    } finally {
      await server.close();
    }
  });
});
