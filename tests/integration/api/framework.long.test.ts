// Guards: server/http/**, server/routes/**, server/edge/**, proxy.ts, app/v1/**, next.config.ts, server/start.ts, package-lock.json, instrumentation.ts
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formBytesMax, parsePlans } from "#domain/plans.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { FUTURE, TARGET } from "./api.ts";
import { assertSchema } from "./documented.ts";
import { type ServedApi, serveApi } from "./served-api.ts";

const MIB = 1024 * 1024;

let api: ServedApi["api"];
let caller: ServedApi["caller"];
let web: ServedApi["web"];
let stop: ServedApi["stop"] | undefined;

beforeAll(async () => {
  ({ api, caller, web, stop } = await serveApi({ LOG_LEVEL: "info" }));
});
afterAll(() => stop?.());

/** One answer of the real process, which must be JSON and have a request id. Errors must be in the envelope. */
async function ask(request: string | Buffer, chunk?: Buffer) {
  const answer = await sendRaw(web.port, request, chunk);
  expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const body = answer.text === "" ? undefined : JSON.parse(answer.text);
  const isHead = typeof request === "string" && request.startsWith("HEAD ");
  if (answer.status >= 400 && !isHead) assertSchema("/components/schemas/Error", body);
  return { ...answer, body };
}

type Parts = { method?: string; target?: string; version?: string; host?: string; headers?: string[]; body?: string };

function request({
  method = "GET",
  target = "/v1/schedules",
  version = "1.1",
  headers = [],
  body = "",
  ...parts
}: Parts) {
  const host = "host" in parts ? [parts.host].filter(Boolean) : ["Host: localhost"];
  const lines = [...host, `Authorization: Bearer ${caller.live}`, "Connection: close", ...headers];
  return `${method} ${target} HTTP/${version}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

const notFound = { status: 404, body: { error: { code: "NOT_FOUND" } } };
const invalid = { status: 400, body: { error: { code: "VALIDATION" } } };
const notAllowed = { status: 405, body: { error: { code: "METHOD_NOT_ALLOWED" } } };

describe("a path under /v1", () => {
  it.each([
    ...["/v1", "/v1/", "/v1?x=1", "/v1/nope", "/v1/schedules/", "/v1//schedules", "//v1/schedules", "//v1//"],
    ...["/v1/schedules//attempts", "/v1\\schedules", "/v1/schedules\\x", "/v1/schedules/?limit=1"],
    ...["/v1/%E0%A4%A", "/v1/%FF/%", "/v1/[[...path]]", "/v1/schedules.rsc", "/v1/schedules.json", "/v1/..%2fhealthz"],
    ...[
      "/v1/schedules/%E0%A4%A",
      "/v1/schedules/%00",
      "/v1/schedules/a%2Fb",
      "/v1/schedules/[id]",
      "/v1/schedules/%5Bid%5D",
    ],
    ...["/v1/schedules/__proto__", "/v1/schedules/x/y/z", "http://localhost/v1/nope", '/v1/schedules/"<>'],
  ])("that does not exist is NOT_FOUND and never a redirect: %s", async (target) => {
    expect(await ask(request({ target }))).toMatchObject(notFound);
  });

  it.each([
    "http://localhost/v1/schedules",
    "HTTP://other.example:99/v1/schedules?limit=1",
    "/x/../v1/./schedules",
    "/v1/schedules#x",
  ])("may be written as %s", async (target) => {
    expect(await ask(request({ target }))).toMatchObject({ status: 200, body: { items: [] } });
  });

  it.each([
    "nxtPid=1",
    "nxtIlimit=1",
    "%6ExtPid=1",
    "limit=1&nxtP=1",
    "_rsc=1",
    "__nextLocale=x",
    "__proto__=1",
    "%5F_pr%6Fto__=1",
    ...["=1", "x", "limit", "limit[]=1", "limit=1&limit=1"],
  ])("accepts only its own parameters, and none of the framework's: ?%s", async (query) => {
    expect(await ask(request({ target: `/v1/schedules?${query}` }))).toMatchObject(invalid);
  });

  it("accepts a search text that contains a parameter of the framework", async () => {
    expect(await ask(request({ target: "/v1/schedules?q=https://example.com/?nxtPid=1" }))).toMatchObject({
      status: 200,
    });
  });
});

describe("a page", () => {
  it.each(["/schedules/%E0%A4%A", "/docs/%FF", "/docs/api/%", "/admin/accounts/%C3", "/%"])(
    "whose path cannot be decoded is not found: %s",
    async (target) => {
      const { status } = await sendRaw(web.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      // A page of an account leads to sign-in first.
      expect([303, 307, 404]).toContain(status);
    },
  );

  it.each(["GET", "HEAD", "POST", "PUT"])(
    "of the documentation is the kept document for every method: %s",
    async (method) => {
      const line = `${method} /docs/%61pi HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
      const { status, headers } = await sendRaw(web.port, line);
      expect([status, headers.get("vary")]).toEqual([200, "Accept-Encoding, Cookie"]);
      expect(headers.get("content-security-policy")).toMatch(/script-src 'self' 'sha256-/);
    },
  );
});

describe("a method", () => {
  it.each(["PUT", "TRACE", "PROPFIND", "QUERY", "LOCK", "M-SEARCH", "FOO", "get", "CONNECT"])(
    "that no route answers is METHOD_NOT_ALLOWED with Allow: %s",
    async (method) => {
      const answer = await ask(request({ method }));
      expect(answer).toMatchObject(notAllowed);
      expect(answer.headers.get("allow")).toMatch(/^GET, HEAD, .*OPTIONS$/);
    },
  );

  it("named HEAD is answered like GET without a body, and OPTIONS with Allow", async () => {
    expect(await ask(request({ method: "HEAD" }))).toMatchObject({ status: 200, text: "" });
    expect(await ask(request({ method: "HEAD", target: "/v1/nope" }))).toMatchObject({
      status: 404,
    });
    for (const target of ["/v1/schedules", "*"]) {
      const answer = await ask(request({ method: "OPTIONS", target }));
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect(answer.headers.get("allow")).toMatch(/^GET, HEAD, /);
    }
  });

  it("is the one that was sent, whatever a header asks for", async () => {
    const headers = ["X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE"];
    expect(await ask(request({ headers }))).toMatchObject({ status: 200 });
  });
});

describe("a header", () => {
  it.each([
    ["RSC: 1"],
    [
      "RSC: 1",
      "Next-Router-Prefetch: 1",
      "Next-Router-State-Tree: junk",
      "Next-Router-Segment-Prefetch: /_tree",
      "Next-Url: /x",
    ],
    ["X-Nextjs-Data: 1", "X-Matched-Path: /healthz", "X-Invoke-Path: /healthz", "X-Now-Route-Matches: 1=2"],
    ["X-Middleware-Subrequest: middleware", "X-Middleware-Rewrite: /healthz", "X-Prerender-Revalidate: x"],
    ["Cookie: __prerender_bypass=1; __next_preview_data=junk; a=%E0%A4%A; ="],
    ["X-Forwarded-Host: a b", "X-Forwarded-Proto: javascript", "X-Forwarded-Port: x", "X-Forwarded-For: ,,"],
    ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__", "Connection: Upgrade, HTTP2-Settings"],
    ["Upgrade: websocket", "Connection: Upgrade"],
    ["Accept: text/html", "Range: bytes=0-1", "If-Modified-Since: Sat, 01 Jan 2033 00:00:00 GMT"],
  ])("for a page, a proxy or a later protocol changes nothing: %s", async (...headers) => {
    expect(await ask(request({ headers }))).toMatchObject({ status: 200, body: { items: [] } });
    expect(await ask(request({ target: "/v1/nope", headers }))).toMatchObject(notFound);
  });

  it.each(["Host: a b", "Host: [", "Host: a:99999", "Host:", "Host: x@y/z?"])("%s does not matter", async (host) => {
    expect(await ask(request({ host }))).toMatchObject({ status: 200 });
  });

  it("named Host is required by HTTP/1.1 alone", async () => {
    expect(await ask(request({ host: "" }))).toMatchObject(invalid);
    expect(await ask(request({ host: "", version: "1.0" }))).toMatchObject({ status: 200 });
  });

  it("named Expect is obeyed when it asks for 100 Continue, and otherwise ignored", async () => {
    for (const expectation of ["100-continue", "junk"]) {
      const headers = [`Expect: ${expectation}`, "Content-Type: application/json", "Content-Length: 2"];
      expect(await ask(request({ method: "POST", headers, body: "{}" }))).toMatchObject(invalid);
    }
  });
});

describe("a request that Node.js cannot read", () => {
  it.each<[string, () => string | Buffer]>([
    ["a name with a space", () => request({ headers: ["a b: 1"] })],
    ["a control character", () => request({ headers: ["a: \x01"] })],
    ["a byte above 127 in the path", () => request({ target: "/v1/schedules/\xe9" })],
    ["a negative length", () => request({ method: "POST", headers: ["Content-Length: -1"] })],
    ["two lengths", () => request({ method: "POST", headers: ["Content-Length: 1", "Content-Length: 2"] })],
    [
      "a length and chunks",
      () => request({ method: "POST", headers: ["Content-Length: 2", "Transfer-Encoding: chunked"] }),
    ],
    ["a broken chunk", () => request({ method: "POST", headers: ["Transfer-Encoding: chunked"], body: "zz\r\n\r\n" })],
    ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", () => Buffer.from("16030100c8010000c40303", "hex")],
    ["noise", () => "\x00\x01\x02\r\n\r\n"],
  ])("is VALIDATION: %s", async (_, bytes) => {
    expect(await ask(bytes())).toMatchObject(invalid);
  });

  it("is counted in the log, in at most one line a minute", async () => {
    const startedMs = performance.now();
    for (let n = 0; n < 20; n++) await ask("noise\r\n\r\n");
    const logged = () => web.lines().filter((line) => line.includes("connections broken, or without valid HTTP"));
    const [line = ""] = await waitFor("it is logged", () => logged().length > 0 && logged());
    expect(JSON.parse(line)).toMatchObject({ level: 30, count: expect.any(Number) });
    expect(performance.now() - startedMs).toBeLessThan(60_000);
    expect(logged().length).toBeLessThanOrEqual(3);
  });
});

it.each<[string, Parts]>([
  ["an address", { target: `/v1/schedules?q=${"a".repeat(17_000)}` }],
  ["headers", { headers: [`X-A: ${"a".repeat(200_000)}`] }],
])("%s above 16 KiB is VALIDATION with status 431", async (_, parts) => {
  expect(await ask(request(parts))).toMatchObject({ ...invalid, status: 431 });
});

describe("a body of a request that takes none", () => {
  const rotate = (headers: string[], body = "") =>
    ask(request({ method: "POST", target: "/v1/signing-secrets/rotate", headers, body }));
  const json = "Content-Type: application/json";
  const text = "Content-Type: text/plain";
  const chunked = "Transfer-Encoding: chunked";

  it.each<[string, string[], string]>([
    ["none at all", [], ""],
    ["none, with a type", [text], ""],
    ["an empty one", [text, "Content-Length: 0"], ""],
    ["an empty one in chunks", [text, chunked], "0\r\n\r\n"],
    ["an empty object", [json, "Content-Length: 2"], "{}"],
    ["an empty object in chunks", [json, chunked], "2\r\n{}\r\n0\r\n\r\n"],
  ])("may be %s", async (_, headers, body) => {
    expect(await rotate(headers, body)).toMatchObject({ status: 200 });
  });

  it.each<[string, string[], string, number]>([
    ["a field", [json, "Content-Length: 7"], '{"x":1}', 400],
    ["a field in chunks", [json, chunked], '7\r\n{"x":1}\r\n0\r\n\r\n', 400],
    ["broken JSON", [json, "Content-Length: 1"], "{", 400],
    ["more than is read of it", [json, "Content-Length: 300000000"], "{", 400],
    ["text", [text, "Content-Length: 5"], "hello", 415],
    ["text in chunks", [text, chunked], "5\r\nhello\r\n0\r\n\r\n", 415],
    ["an empty object without a type", ["Content-Length: 2"], "{}", 415],
  ])("may not be %s", async (_, headers, body, status) => {
    const code = status === 400 ? "VALIDATION" : "UNSUPPORTED_MEDIA_TYPE";
    expect(await rotate(headers, body)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe("a health check", () => {
  it.each(["/healthz", "/metricsz"])("may request %s with any parameters", async (path) => {
    for (const query of ["?x=1", "?_=1&_=2", "?nxtPx=1", "?__proto__=1", "?%E0%A4%A"]) {
      expect(await ask(request({ target: `${path}${query}` }))).toMatchObject({ status: 200 });
    }
  });
});

describe("a body over the limit", () => {
  const json = ["Content-Type: application/json"];
  const chunk = Buffer.alloc(64 * 1024, 97);
  const framed = Buffer.concat([Buffer.from("10000\r\n"), chunk, Buffer.from("\r\n")]);
  const tooLarge = { status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } };

  it.each(["/v1/schedules", "/v1/schedules/bulk"])(
    "is refused at %s by its Content-Length before any of it arrives",
    async (target) => {
      const head = request({ method: "POST", target, headers: [...json, `Content-Length: ${33 * MIB}`] });
      expect(await ask(head)).toMatchObject(tooLarge);
    },
  );

  it("without a length is cut off while the caller still sends, and the connection is closed", async () => {
    const answer = await ask(request({ method: "POST", headers: [...json, "Transfer-Encoding: chunked"] }), framed);
    expect(answer).toMatchObject(tooLarge);
    expect(answer.headers.get("connection")).toBe("close");
    expect(answer.sentBytes).toBeLessThan(64 * MIB);
  });

  it("is not read when the answer does not need it: with a bad key, with a type that is not JSON, with GET", async () => {
    const headers = [`Content-Length: ${300 * MIB}`];
    const answers = [
      await ask(request({ method: "POST", headers }).replace(/Bearer \S+/, "Bearer x"), chunk),
      await ask(request({ method: "POST", headers: [...headers, "Content-Type: text/plain"] }), chunk),
      await ask(request({ headers }), chunk),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 415, 200]);
    for (const { headers, sentBytes } of answers) {
      expect(headers.get("connection")).toBe("close");
      expect(sentBytes).toBeLessThan(64 * MIB);
    }
  });

  it("leaves no error in the log of the process", async () => {
    expect(await ask(request({}))).toMatchObject({ status: 200 });
    expect(web.lines().join("\n")).not.toMatch(/uncaught|unhandled|TypeError/i);
  });
});

/** Connections that have sent `bytes` and then wait. `answers` are what they got so far. */
async function waitingConnections(count: number, bytes: string) {
  const answers: string[] = Array.from({ length: count }, () => "");
  const sockets = answers.map((_, n) =>
    connect(web.port, "127.0.0.1")
      .on("error", () => {})
      .on("data", (data) => {
        answers[n] = `${answers[n]}${data}`;
      }),
  );
  for (const socket of sockets) socket.write(bytes);
  return {
    answers,
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe("a large body that is still arriving", () => {
  const bulk = (bytes: number) =>
    request({
      method: "POST",
      target: "/v1/schedules/bulk",
      headers: ["Content-Type: application/json", `Content-Length: ${bytes}`],
    });

  it("takes its account's body memory as it arrives: until it ends, another large body is refused and a create is not", async () => {
    const coming = connect(web.port, "127.0.0.1").on("error", () => {});
    await new Promise((resolve) => coming.write(`${bulk(29 * MIB)}${" ".repeat(29 * MIB - 1)}`, resolve));
    // The system may still hold some of it: while it answers others, the server reads that.
    for (let n = 0; n < 20; n++) await ask(request({}));
    const refused = await ask(bulk(8 * MIB) + " ".repeat(8 * MIB));
    expect(refused.status).toBe(429);
    expect(refused).toMatchObject({ body: { error: { code: "RATE_LIMITED" } } });
    expect(refused.headers.get("retry-after")).toBe("2");
    const body = JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE });
    const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    expect(await ask(request({ method: "POST", headers, body }))).toMatchObject({ status: 201 });

    coming.destroy();
    const all = `{"schedules":[]${" ".repeat(8 * MIB - 16)}}`;
    await waitFor("its memory is free", async () => (await ask(bulk(all.length) + all)).status === 400);
  });
});

describe("bodies that are announced and never sent", () => {
  const announced = ["Content-Type: application/json", `Content-Length: ${512 * 1024}`];

  it("of four accounts with 32 each block no create, and get 408 after 5 s", async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => api.account()));
    const idle = await Promise.all(
      accounts.map(({ live }) => {
        const head = request({ method: "POST", headers: announced }).replace(caller.live, live);
        return waitingConnections(32, head);
      }),
    );
    const body = JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE });
    for (let n = 0; n < 20; n++) {
      const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
      expect(await ask(request({ method: "POST", headers, body }))).toMatchObject({ status: 201 });
    }
    const answers = () => idle.flatMap((one) => one.answers);
    await waitFor("all are answered", async () => answers().every((text) => text.includes("\r\n\r\n")), 15_000);
    for (const text of answers()) expect(text).toMatch(/^HTTP\/1\.1 408 .*"code":"VALIDATION"/s);
    for (const one of idle) one.end();
  });

  it("without a credential block neither the form of a new schedule nor payment events, and forms get 408 after 5 s", async () => {
    const anonymous = (parts: Parts) => request(parts).replace(/Authorization: .*\r\n/, "");
    const form = (length: number, body = "") =>
      anonymous({
        method: "POST",
        target: "/schedules/new",
        headers: ["Content-Type: multipart/form-data; boundary=x", `Content-Length: ${length}`],
        body,
      });
    const event = (headers: string[], body = "") =>
      anonymous({
        method: "POST",
        target: "/v1/billing/events",
        headers: ["Stripe-Signature: t=1,v1=a", ...headers],
        body,
      });
    const forms = await waitingConnections(40, form(formBytesMax(parsePlans(undefined))));
    const events = await waitingConnections(64, event(announced));
    const body = '--x\r\nContent-Disposition: form-data; name="words"\r\n\r\nin 5m\r\n--x--\r\n';
    expect((await sendRaw(web.port, form(body.length, body))).status).toBeLessThan(429);
    const sent = await ask(event(["Content-Length: 2"], "{}"));
    expect([429, 500]).not.toContain(sent.status);
    const answers = () => [...forms.answers, ...events.answers];
    await waitFor("all are answered", async () => answers().every((text) => text.includes("\r\n\r\n")), 15_000);
    for (const text of forms.answers) expect(text).toMatch(/^HTTP\/1\.1 408 .*"code":"VALIDATION"/s);
    forms.end();
    events.end();
  });
});

describe("a body of 1 MiB in chunks of one byte", () => {
  const chunks = `${"1\r\n \r\n".repeat(MIB)}0\r\n\r\n`;

  it.each([
    ["a create", "/v1/schedules"],
    ["a bulk create", "/v1/schedules/bulk"],
  ])("is refused long before all of it has arrived: %s", async (_, target) => {
    const headers = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
    const answer = await ask(request({ method: "POST", target, headers, body: chunks }));
    expect(answer).toMatchObject(invalid);
    expect(answer.body.error.message).toContain("too many pieces");
  });
});

describe("a connection", () => {
  it("stays open after an answer to a body that was read to its end", async () => {
    const headers = ["Content-Type: application/json", "Content-Length: 2"];
    const first = request({ method: "POST", headers, body: "{}" }).replace("Connection: close\r\n", "");
    const { raw } = await sendRaw(web.port, first + request({}));
    expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400", "HTTP/1.1 200"]);
  });
});
