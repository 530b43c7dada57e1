// Guards: server/edge/**, server/http/**, server/counters/**, server/rate-limit/**
import { Agent, request as sendRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { assertSchema } from "./documented.ts";
import { type ServedApi, serveApi } from "./served-api.ts";

let api: ServedApi["api"];
let caller: ServedApi["caller"];
let web: ServedApi["web"];
let stop: ServedApi["stop"] | undefined;

beforeAll(async () => {
  ({ api, caller, web, stop } = await serveApi({
    LOG_LEVEL: "warn",
    BASE_URL: "https://stopwatch.example.com",
    TRUSTED_PROXIES: "127.0.0.1",
  }));
});
afterAll(() => stop?.());

type Answer = { status: number; headers: Record<string, unknown>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
afterAll(() => agent.destroy());

/** One request from an address, as a trusted proxy names it. */
function ask(path: string, from: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port: web.port, path, agent, headers: { "x-forwarded-for": from, ...headers } };
    const request = sendRequest(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    request.on("error", reject).end();
  });
}

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

const FLOOD = "203.0.113.7";

/** Sends requests from these addresses in turns until twenty of each were refused, at most 3,000. Returns those answers. */
async function flood(path: string, from: string | string[], headers: Record<string, string> = {}): Promise<Answer[]> {
  const addresses = [from].flat();
  const refused: Answer[] = [];
  const counts = new Map<string, number>();
  let sent = 0;
  const send = async () => {
    while (addresses.some((one) => (counts.get(one) ?? 0) < REFUSED) && sent < 3_000) {
      const address = addresses[sent++ % addresses.length] as string;
      const answer = await ask(path, address, headers);
      if (answer.status !== 429) continue;
      refused.push(answer);
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 64 }, send));
  for (const one of addresses) expect(counts.get(one)).toBeGreaterThanOrEqual(REFUSED);
  return refused;
}

const REFUSED = 20;

describe("a caller without a credential who exceeds the budget of their network", () => {
  it("gets 429 with Retry-After in the envelope under /v1, and so does everybody of their IPv6 /64", async () => {
    const refused = await flood("/v1/nowhere", ["2001:db8:1:2::7", "2001:db8:1:2:ffff::8"]);
    for (const answer of refused) {
      expect(answer.headers).toMatchObject({ "retry-after": "1", "cache-control": "no-store" });
      expect(answer.headers["x-request-id"]).toMatch(/^req_/);
      assertSchema("/components/schemas/Error", JSON.parse(answer.text));
      expect(JSON.parse(answer.text).error.code).toBe("RATE_LIMITED");
    }
    expect(await ask("/v1/nowhere", "2001:db8:1:3::7")).toMatchObject({ status: 404 });
  });

  it("gets a page in a browser that explains the limit without scripts or external styles", async () => {
    const [{ headers, text } = {} as Answer] = await flood("/docs", FLOOD, { accept: "text/html" });
    expect([headers["retry-after"], headers["content-type"]]).toEqual(["1", "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'/);
    expect(text).toContain("<h1>Too many requests</h1>");
    expect(text).not.toContain("<script");
  });

  it("gets the security headers of every other answer", async () => {
    const [api] = await flood("/v1/nowhere", FLOOD);
    const names = { "x-content-type-options": "nosniff", "strict-transport-security": "max-age=31536000" };
    expect(api?.headers).toMatchObject({ ...names, "cross-origin-resource-policy": "same-origin" });
    const [page] = await flood("/nowhere", FLOOD, { accept: "text/html" });
    expect(page?.headers).toMatchObject({ ...names, "cross-origin-opener-policy": "same-origin" });
    expect(page?.headers["permissions-policy"]).toContain("camera=()");
    const broken = await sendRaw(web.port, "not HTTP\r\n\r\n");
    expect(Object.fromEntries(broken.headers)).toMatchObject({
      ...names,
      "cross-origin-resource-policy": "same-origin",
    });
  });

  it("blocks neither health checks nor API keys nor sessions from the same network", async () => {
    // A network of its own: some 1,000 of its requests reach the endpoint before the gate refuses one.
    const NETWORK = "203.0.113.8";
    const { cookie } = await api.session(caller.accountId);
    await flood("/v1/schedules", NETWORK);
    expect(await ask("/healthz", NETWORK)).toMatchObject({ status: 200 });
    // It needs METRICS_TOKEN where BASE_URL is https.
    expect(await ask("/metricsz", NETWORK)).toMatchObject({ status: 401 });
    expect(await ask("/readyz", NETWORK)).toMatchObject({ status: 503 });
    for (let n = 0; n < 2; n++) {
      expect(await ask("/v1/schedules", NETWORK, withKey(caller.live))).toMatchObject({ status: 200 });
      expect(await ask("/v1/me", NETWORK, { cookie })).toMatchObject({ status: 200 });
    }
    expect(await ask("/v1/schedules", NETWORK, withKey(generateApiKey("live")))).toMatchObject({ status: 401 });
  });
});

describe("a credential that was accepted", () => {
  it("has a budget of its own for requests that no account counts", async () => {
    const key = caller.test;
    expect(await ask("/v1/schedules", "198.51.100.1", withKey(key))).toMatchObject({ status: 200 });
    await flood("/v1/nowhere", "198.51.100.1", withKey(key));
    expect(await ask("/v1/schedules", "198.51.100.1", withKey(key))).toMatchObject({ status: 200 });
    expect(await ask("/v1/nowhere", "198.51.100.1")).toMatchObject({ status: 404 });
  });
});

describe("a connection", () => {
  it.each(["/", "/nowhere", "/_next/webpack-hmr", "/v1/schedules", "/logs"])(
    "that asks to become a WebSocket at %s stays HTTP and is answered",
    async (path) => {
      const upgrade = "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
      const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
      const answer = await sendRaw(web.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n${key}\r\n\r\n`);
      expect(answer.status).toBeGreaterThanOrEqual(200);
      expect(answer.status).toBeLessThan(500);
    },
  );

  it("on which nothing is sent is closed within a minute", async () => {
    const socket = connect(web.port, "127.0.0.1");
    const startedMs = performance.now();
    await new Promise((resolve) => socket.resume().once("close", resolve));
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });
});

it("the log says once a minute how many requests the gate has refused", async () => {
  await flood("/v1/nowhere", "203.0.113.99");
  const lines = web.lines().filter((line) => line.includes("refused by the gate"));
  expect(lines.length).toBeGreaterThanOrEqual(1);
  expect(lines.length).toBeLessThanOrEqual(4);
});
