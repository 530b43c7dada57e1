import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { closeAfterEarlyResponse } from "#server/edge/lingering-close.ts";
import { BodyMemory } from "#server/http/body-memory.ts";
import { answerOnFastPath } from "#server/http/fast-path.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { startWebProcess } from "#tests/helpers/web-process.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

// Set before the route is loaded: only in production does it use the fast path.
vi.hoisted(() => vi.stubEnv("NODE_ENV", "production"));

let api: Api;
let caller: TestCaller;
let server: Server;
let port: number;

beforeAll(async () => {
  api = await startApi();
  server = createServer((request, response) => {
    closeAfterEarlyResponse(request, response);
    if (!answerOnFastPath(request, response)) response.writeHead(299).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.close();
  await api.stop();
});
beforeEach(async () => {
  caller = await api.account();
});

const valid = JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE, idempotencyKey: "k" });

function post({
  target = "/v1/schedules",
  body = valid,
  headers = [] as string[],
  method = "POST",
  key = caller.live,
}) {
  const lines = [`Host: x`, `Authorization: Bearer ${key}`, "Content-Type: application/json", ...headers];
  if (!headers.some((line) => /^(content-length|transfer-encoding)/i.test(line))) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${body}`;
}
const chunked = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;

describe("the fast path", () => {
  it.each<[string, Parameters<typeof post>[0], number]>([
    ["a create", {}, 201],
    ["a body in chunks", { headers: ["Transfer-Encoding: chunked"], body: chunked(valid) }, 201],
    ["its environment in the query", { target: "/v1/schedules?env=live" }, 201],
    ["the wrong environment", { target: "/v1/schedules?env=test" }, 400],
    ["an unknown parameter", { target: "/v1/schedules?a=%E0%A4%A" }, 400],
    ["a body that is not JSON", { body: "{" }, 400],
    ["no body", { body: "" }, 400],
    ["a body that is announced as too large", { headers: ["Content-Length: 99999999"], body: "{" }, 413],
    ["another type", { headers: ["Content-Encoding: gzip"] }, 415],
    ["an unknown key", { key: "sw_live_nope" }, 401],
  ])("answers as the route handler does: %s", async (_, parts, status) => {
    const answer = await sendRaw(port, post(parts));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.text)));
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    const body = JSON.parse(answer.text);
    if (status < 300) expect(body).toMatchObject({ id: expect.stringMatching(/^sch_/), fire_at: FUTURE });
    else expect(body.error.message).not.toBe("");
  });

  it("cuts off a body that turns out too large while it is read, and still answers", async () => {
    const large = "a".repeat(3 * 1024 * 1024);
    const answer = await sendRaw(port, post({ headers: ["Transfer-Encoding: chunked"], body: chunked(large) }));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text).error.code).toBe("PAYLOAD_TOO_LARGE");
  });

  it("refuses a body as soon as what has arrived exceeds the body memory, and closes the connection", async () => {
    const room = BodyMemory.ofAccount(caller.accountId);
    room.reserve(32 * 1024 * 1024);
    try {
      const body = " ".repeat(600_000);
      const answer = await sendRaw(port, post({ headers: ["Content-Length: 1000000"], body }));
      expect(answer.status).toBe(429);
      expect(JSON.parse(answer.text).error.code).toBe("RATE_LIMITED");
      expect(answer.headers.get("retry-after")).toBe("2");
      expect(answer.headers.get("connection")).toBe("close");
    } finally {
      room.release();
    }
    expect((await sendRaw(port, post({}))).status).toBe(201);
  });

  it("keeps a connection open for the next call", async () => {
    const two = post({}).replace("Connection: close\r\n", "") + post({});
    const { raw } = await sendRaw(port, two);
    // Both run at once, so either may be the one that stores it.
    expect(raw.match(/HTTP\/1\.1 \d+/g)?.sort()).toEqual(["HTTP/1.1 200", "HTTP/1.1 201"]);
    const [row] = await api.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${caller.accountId}`;
    expect(row?.n).toBe(1);
  });

  it.each([
    ["GET", "/v1/schedules"],
    ["POST", "/v1/schedules/"],
    ["POST", "/v1/schedules/bulk"],
    ["POST", "/v1//schedules"],
    ["PUT", "/v1/schedules"],
  ])("leaves every other request to Next.js: %s %s", async (method, target) => {
    expect((await sendRaw(port, post({ method, target }))).status).toBe(299);
  });
});

describe("the real web process", () => {
  it("answers the first create, which goes through Next.js, like those after it", async () => {
    const web = await startWebProcess({
      DATABASE_URL: api.config.databaseUrl,
      ENCRYPTION_KEYS,
    });
    try {
      const first = await sendRaw(web.port, post({}));
      const second = await sendRaw(web.port, post({}));
      expect([first.status, second.status]).toEqual([201, 200]);
      expect(JSON.parse(second.text)).toEqual({ ...JSON.parse(first.text), replayed: true });
      const names = ["cache-control", "content-type", "ratelimit-policy", "x-content-type-options"];
      for (const name of names) expect(second.headers.get(name)).toBe(first.headers.get(name));
      expect(second.headers.get("content-length")).not.toBeNull();
    } finally {
      await web.stop();
    }
  });
});
