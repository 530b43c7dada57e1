// Guards: deploy/proxies/**, server/edge/**, server/http/**
// Needs: proxies
import { once } from "node:events";
import { createServer, Server, type ServerResponse, request as sendInClear } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request as sendRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "#scripts/ports.ts";
import { endConnectionsOnClose } from "#server/edge/end-connections.ts";
import { type FrontProxy, hasProxy, PROXIED_HOST, startFrontProxy, statedIdleMs } from "#tests/helpers/front-proxy.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { FUTURE, TARGET } from "../api/api.ts";
import { type ServedApi, serveApi } from "../api/served-api.ts";

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; raw: string[]; text: string };

type Sent = {
  method?: string;
  /** Names and values in turns, so that a name may come twice. */
  headers?: string[];
  body?: string | Buffer;
  from?: string;
  agent?: Agent;
  before?: FrontProxy;
};

type Stub = Awaited<ReturnType<typeof startStub>>;

/** In the place of a web part: it stops as one, and answers each call with 200, a little later, or as `answer` does. */
async function startStub(
  port: number,
  answer: (response: ServerResponse) => void = (response) => setTimeout(() => response.end(), 20),
) {
  const calls: string[] = [];
  let [isStopping, checks] = [false, 0];
  const server = createServer((request, response) => {
    addAnswer(response);
    request.resume();
    if (request.url === "/healthz") return void response.writeHead(isStopping ? 503 : 200).end(() => checks++);
    calls.push(request.url ?? "");
    request.on("end", () => answer(response));
  });
  const addAnswer = endConnectionsOnClose(server, () => true);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    /** The paths that it was asked for. */
    calls,
    /** How often a proxy was told how it is. */
    checks: () => checks,
    /** As on SIGTERM. */
    async stop() {
      isStopping = true;
      await new Promise((resolve) => server.close(resolve));
    },
    kill() {
      Server.prototype.close.call(server);
      server.closeAllConnections();
    },
  };
}

for (const name of ["nginx", "caddy"] as const) {
  describe.skipIf(!hasProxy(name))(`behind ${name} (skipped where it is not installed)`, () => {
    let served: ServedApi;
    let proxy: FrontProxy;
    let port: number;

    beforeAll(async () => {
      port = await freePort();
      served = await serveApi({
        LOG_LEVEL: "info",
        BASE_URL: `https://${PROXIED_HOST}:${port}`,
        TRUSTED_PROXIES: "127.0.0.1",
      });
      proxy = await startFrontProxy(name, port, served.web.port);
    });
    afterAll(async () => {
      await proxy?.stop();
      await served?.stop();
    });

    const tls = (before = proxy) => ({ host: "127.0.0.1", port: before.port, servername: PROXIED_HOST, ca: before.ca });
    const host = () => ["Host", `${PROXIED_HOST}:${port}`];

    /** One request through the proxy, from an address of the loopback network. */
    function ask(
      path: string,
      { method = "GET", headers = [], body, from, agent, before }: Sent = {},
    ): Promise<Answer> {
      return new Promise((resolve, reject) => {
        const length = body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body))];
        const options = {
          ...tls(before),
          path,
          method,
          headers: [...host(), ...length, ...headers],
          localAddress: from,
          agent,
        };
        const request = sendRequest(options, (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, raw: answer.rawHeaders, text }),
          );
        });
        request.on("error", reject).end(body);
      });
    }

    /** Sends these bytes, and resolves with all that came until the connection ended or stayed silent for a second. */
    function sendBytes(bytes: string): Promise<string> {
      return new Promise((resolve) => {
        const socket = connect(tls(), () => socket.write(bytes, "latin1"));
        let got = "";
        socket.setEncoding("latin1").on("data", (text: string) => {
          got += text;
        });
        socket.on("error", () => {});
        socket.setTimeout(1_000, () => socket.destroy());
        socket.on("close", () => resolve(got));
      });
    }

    const withKey = (key: string) => ["Authorization", `Bearer ${key}`];
    const json = ["Content-Type", "application/json"];
    const create = (payload: string) => JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE, payload });

    const errorCode = ({ text }: Answer): string => {
      try {
        return JSON.parse(text).error.code;
      } catch {
        return text;
      }
    };

    it("the caller's own address counts, and none that it writes itself", async () => {
      const { live, accountId } = await served.api.account();
      await served.api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${accountId}`;
      await ask("/v1/schedules", { headers: [...withKey(live), "X-Forwarded-For", "203.0.113.7"], from: "127.5.6.7" });
      const network = async () => {
        const [row] = await served.api.sql`
        SELECT network FROM security_events WHERE account_id = ${accountId} AND kind = 'credential_refused'`;
        return row?.network;
      };
      await waitFor("the refusal is logged", async () => (await network()) !== undefined);
      expect(await network()).toBe("127.5.6.0/24");
    });

    /** One request over http. */
    function askInClear(path: string, { method = "GET", headers = [] }: Sent = {}): Promise<Answer> {
      return new Promise((resolve, reject) => {
        const options = { host: "127.0.0.1", port: proxy.clearPort, path, method };
        const request = sendInClear({ ...options, headers: ["Host", PROXIED_HOST, ...headers] }, (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, raw: answer.rawHeaders, text }),
          );
        });
        request.on("error", reject).end();
      });
    }

    it("a call over http is refused, not redirected, so that nobody sends keys in clear unnoticed", async () => {
      const key = withKey(served.caller.live);
      const sent: [string, Sent?][] = [
        ["/v1/schedules", { headers: key }],
        ["/v1/schedules?limit=1"],
        ["/v1"],
        ["//v1/schedules", { headers: key }],
        ["/v1/schedules", { method: "POST", headers: [...key, ...json, "Content-Length", "0"] }],
        ["/v1/schedules/sch_x", { method: "DELETE" }],
        ["/metricsz", { headers: withKey("token") }],
        ["/docs", { headers: key }],
        ["/login/send", { method: "POST", headers: ["Content-Length", "0"] }],
      ];
      for (const [path, options] of sent) {
        const answer = await askInClear(path, options);
        expect([path, answer.status, errorCode(answer)]).toEqual([path, 403, "FORBIDDEN"]);
        expect(answer.headers["content-type"]).toMatch(/^application\/json/);
        expect(answer.headers.location).toBeUndefined();
      }
    });

    it("a page over http leads to the same page over https", async () => {
      for (const path of ["/", "/login?redirectTo=%2Fkeys", "/v10", "/docs/quickstart"]) {
        for (const method of ["GET", "HEAD"]) {
          const { status, headers } = await askInClear(path, { method });
          expect([status, headers.location]).toEqual([308, `https://${PROXIED_HOST}${path}`]);
        }
      }
    });

    it("HSTS is sent once, with pages, calls and static files", async () => {
      const page = await ask("/login", { headers: ["Accept", "text/html"] });
      const [style = ""] = /\/_next\/static\/[^"]+\.css/.exec(page.text) ?? [];
      for (const answer of [page, await ask("/v1/schedules"), await ask(style)]) {
        const names = answer.raw.filter((_, at) => at % 2 === 0).map((one) => one.toLowerCase());
        expect(names.filter((one) => one === "strict-transport-security")).toHaveLength(1);
      }
    });

    it("paths arrive as they were sent", async () => {
      const undecodable = await ask("/v1/%ff", { headers: withKey(served.caller.live) });
      expect([undecodable.status, errorCode(undecodable)]).toEqual([404, "NOT_FOUND"]);
      const doubled = await ask("/v1//schedules", { headers: withKey(served.caller.live) });
      expect([doubled.status, errorCode(doubled)]).toEqual([404, "NOT_FOUND"]);
      const encoded = await ask("/v1%2Fschedules", { headers: withKey(served.caller.live) });
      expect(encoded.status).toBe(404);
    });

    it("headers that are sent twice are neither merged nor chosen from", async () => {
      const { live } = served.caller;
      const twice = await ask("/v1/schedules", { headers: [...withKey(live), ...withKey("sw_live_other")] });
      expect(twice.status).toBe(400);
      const keys = ["Idempotency-Key", "one", "Idempotency-Key", "two"];
      const body = create("x");
      const two = await ask("/v1/schedules", { method: "POST", headers: [...withKey(live), ...json, ...keys], body });
      expect([two.status, errorCode(two)]).toEqual([400, "VALIDATION"]);
    });

    it("a create over HTTP/2 and a form of a page are answered", async () => {
      const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: PROXIED_HOST, ca: proxy.ca });
      const status = await new Promise((resolve, reject) => {
        const stream = session.request({
          ":method": "POST",
          ":path": "/v1/schedules",
          ":authority": `${PROXIED_HOST}:${port}`,
          authorization: `Bearer ${served.caller.live}`,
          "content-type": "application/json",
        });
        stream.on("response", (headers) => resolve(headers[":status"]));
        stream.on("error", reject).resume().end(create("over HTTP/2"));
      });
      session.close();
      expect(status).toBe(201);
      const { cookie } = await served.api.session(served.caller.accountId);
      const origin = ["Origin", `https://${PROXIED_HOST}:${port}`, "Cookie", cookie];
      const signOut = await ask("/account/sign-out", { method: "POST", headers: origin, body: "" });
      expect(signOut.status).toBe(303);
    });

    it("a bulk call of 24 MiB passes, and one above the limit is refused by the API itself", async () => {
      const { live } = await served.api.account("indie");
      const schedules = Array.from({ length: 100 }, () => ({
        targetUrl: TARGET,
        fireAt: FUTURE,
        payload: "x".repeat(250_000),
      }));
      const headers = [...withKey(live), ...json];
      const bulk = { method: "POST", headers, body: JSON.stringify({ schedules }) };
      expect((await ask("/v1/schedules/bulk", bulk)).status).toBeLessThan(300);
      const tooLarge = await ask("/v1/schedules/bulk", { method: "POST", headers, body: Buffer.alloc(33 << 20, " ") });
      expect([tooLarge.status, errorCode(tooLarge)]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    });

    it("a caller that waits for 100 Continue gets it, and then the answer", async () => {
      const body = create("after 100 Continue");
      const answer = await new Promise<{ continued: boolean; status: number | undefined }>((resolve, reject) => {
        let continued = false;
        const length = ["Content-Length", String(body.length), "Expect", "100-continue", "Connection", "close"];
        const headers = [...host(), ...withKey(served.caller.live), ...json, ...length];
        const request = sendRequest({ ...tls(), path: "/v1/schedules", method: "POST", headers });
        request.once("continue", () => {
          continued = true;
          request.end(body);
        });
        request.on("response", (response) => {
          response.resume();
          resolve({ continued, status: response.statusCode });
        });
        request.on("error", reject).flushHeaders();
      });
      expect(answer).toEqual({ continued: true, status: 201 });
    });

    it("a call that no web part can answer gets 503 in the form of the API, and a page a sentence", async () => {
      const before = await startFrontProxy(name, await freePort(), await freePort());
      for (const path of ["/v1/schedules", "/v1", "/v1/schedules/bulk?x=1", "/healthz"]) {
        const answer = await ask(path, { method: "POST", headers: json, body: create("x"), before });
        expect([path, answer.status, errorCode(answer)]).toEqual([path, 503, "UNAVAILABLE"]);
        expect(JSON.parse(answer.text).error.doc_url).toBe(`https://${PROXIED_HOST}/docs/errors#unavailable`);
        expect(answer.headers["retry-after"]).toBe("5");
        expect(answer.headers["content-type"]).toBe("application/json");
      }
      const page = await ask("/login", { before });
      expect([page.status, page.headers["retry-after"]]).toEqual([503, "5"]);
      expect(page.headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(page.text).not.toContain("<");
      await before.stop();
    });

    it("the proxy closes an idle connection before the web part would, so that no call meets it", async () => {
      // The default of Node.js, which the web part has.
      expect(await statedIdleMs(name)).toBeLessThan(createServer().keepAliveTimeout);
      let isClosed = false;
      // Two calls at once, so that there are two connections: checks of health may use one each second.
      const calls: ServerResponse[] = [];
      const upstream = createServer({ keepAliveTimeout: 0 }, (request, response) => {
        if (request.url === "/healthz") return response.end();
        if (calls.push(response) === 2) for (const call of calls) call.end("answered");
      });
      upstream.on("connection", (socket) => {
        socket.on("end", () => {
          isClosed = true;
        });
      });
      upstream.listen(0, "127.0.0.1");
      await once(upstream, "listening");
      const own = await startFrontProxy(name, await freePort(), (upstream.address() as AddressInfo).port);
      await Promise.all([ask("/", { before: own }), ask("/", { before: own })]);
      // Without the configured time, nginx closes it after 60 s and Caddy after 120 s.
      await waitFor("the proxy closes the connection", () => isClosed);
      await own.stop();
      upstream.close();
    });

    it("a release of the web part, one at a time, answers every call once, those under way too, and none twice", async () => {
      const [firstPort, secondPort] = [await freePort(), await freePort()];
      let first = await startStub(firstPort);
      const own = await startFrontProxy(name, await freePort(), firstPort, secondPort);
      const agent = new Agent({ keepAlive: true });
      const answers: [call: string, status: number][] = [];
      let isOver = false;
      const call = async (caller: number) => {
        for (let turn = 0; !isOver; turn++) {
          const sent = `/v1/${caller}-${turn}`;
          const method = turn % 2 === 0 ? "POST" : "GET";
          const { status } = await ask(sent, {
            method,
            body: method === "POST" ? sent : undefined,
            agent,
            before: own,
          });
          answers.push([sent, status]);
        }
      };
      const load = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(call));
      const answered = (stub: Stub) => waitFor("it has answered", () => stub.calls.length > 0);

      await answered(first);
      const second = await startStub(secondPort);
      // As the unit waits 5 s. The second look comes when the proxy knows of the first.
      if (name === "caddy") await waitFor("the proxy knows of the second one", () => second.checks() > 1);
      await first.stop();
      await answered(second);
      const calls = [...first.calls];
      first = await startStub(firstPort);
      await answered(first);
      await second.stop();
      calls.push(...second.calls);
      const before = first.calls.length;
      await waitFor("the first alone answers", () => first.calls.length > before);
      isOver = true;
      await load;
      calls.push(...first.calls);

      const refused = answers.filter(([, status]) => status !== 200);
      // nginx does not ask how a web part is, and may come in the moment in which it closes its port: at most one call of each caller.
      expect(refused.length, JSON.stringify(refused)).toBeLessThanOrEqual(name === "nginx" ? 8 : 0);
      expect(refused.filter(([, status]) => status !== 503)).toEqual([]);
      const processed = answers.filter(([, status]) => status === 200).map(([sent]) => sent);
      expect(calls.sort()).toEqual(processed.sort());
      agent.destroy();
      await own.stop();
      first.kill();
    });

    it("a call that the web part may have processed is not sent to the second one", async () => {
      const [firstPort, secondPort] = [await freePort(), await freePort()];
      const first = await startStub(firstPort, (response) => response.destroy());
      const second = await startStub(secondPort);
      const own = await startFrontProxy(name, await freePort(), firstPort, secondPort);
      const answer = await ask("/v1/schedules", { method: "POST", headers: json, body: create("x"), before: own });
      expect([answer.status, errorCode(answer)]).toEqual([503, "UNAVAILABLE"]);
      expect([first.calls, second.calls]).toEqual([["/v1/schedules"], []]);
      await own.stop();
      for (const stub of [first, second]) stub.kill();
    });

    it("no request hides in the body of another one", async () => {
      const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\nX-Rest: ";
      const chunked = `0\r\n\r\n${smuggled}`;
      const head = (...lines: string[]) =>
        ["POST /healthz HTTP/1.1", `Host: ${PROXIED_HOST}:${port}`, ...lines].join("\r\n");
      const length = `Content-Length: ${chunked.length}`;
      const hostile = [
        `${head(length, "Transfer-Encoding: chunked")}\r\n\r\n${chunked}`,
        `${head("Content-Length: 4", "Transfer-Encoding: chunked")}\r\n\r\n${chunked}`,
        ...[
          "Transfer-Encoding : chunked",
          "Transfer-Encoding: xchunked",
          "Transfer-Encoding: chunked, identity",
          "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
          "Transfer-Encoding:\tchunked",
          "Transfer-Encoding:\x0bchunked",
          "X: x\nTransfer-Encoding: chunked",
          " Transfer-Encoding: chunked",
          "transfer_encoding: chunked",
        ].map((line) => `${head(length, line)}\r\n\r\n${chunked}`),
        `${head("Content-Length: 0", length)}\r\n\r\n${chunked}`,
        `${head(`Content-Length: 0, ${chunked.length}`)}\r\n\r\n${chunked}`,
        `${head(`Content-Length: +${chunked.length}`)}\r\n\r\n${chunked}`,
        `${head("Transfer-Encoding: chunked")}\r\n\r\n1;a=\n\r\nx\r\n0\r\n\r\n`,
        `${head("Transfer-Encoding: chunked")}\r\n\r\n0x1\r\nx\r\n0\r\n\r\n`,
      ];
      const agent = new Agent({ keepAlive: true, maxSockets: 4 });
      for (const bytes of hostile) {
        await sendBytes(bytes);
        // A hidden request would be answered in place of one of these, on the proxy's connections to the web part.
        const paths = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? "/healthz" : "/robots.txt"));
        const answers = await Promise.all(paths.map((path) => ask(path, { agent })));
        for (const [at, { status, text }] of answers.entries()) {
          expect(status, JSON.stringify(bytes)).toBe(200);
          expect(text, JSON.stringify(bytes)).toMatch(at % 2 === 0 ? /"status":"ok"/ : /User-Agent/i);
        }
      }
      agent.destroy();
      expect(served.web.lines().filter((line) => line.includes("smuggled"))).toEqual([]);
    });
  });
}
