import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { type Api, FUTURE, type Method, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;
const valid = { targetUrl: TARGET, fireAt: FUTURE };

beforeAll(async () => {
  api = await startApi();
  caller = await api.account();
});
afterAll(() => api.stop());

describe("a route", () => {
  it.each<[string, string, string]>([
    ["/v1/schedules", "PUT", "GET, HEAD, POST, OPTIONS"],
    ["/v1/schedules", "DELETE", "GET, HEAD, POST, OPTIONS"],
    ["/v1/schedules/x", "POST", "GET, HEAD, PATCH, DELETE, OPTIONS"],
    ["/v1/schedules/x/attempts", "POST", "GET, HEAD, OPTIONS"],
    ["/v1/signing-secrets", "PATCH", "GET, HEAD, OPTIONS"],
  ])("%s answers %s with 405 and the allowed methods", async (path, method, allow) => {
    const answer = await api.call(method as Method, path, caller.live);
    expect(answer).toMatchObject({ status: 405, body: { error: { code: "METHOD_NOT_ALLOWED" } } });
    expect(answer.headers.get("allow")).toBe(allow);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it.each(["/v1", "/v1/nope", "/v1/schedules/x/y/z"])("%s is 404 in the envelope for every method", async (path) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
      expect(await api.call(method, path)).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    }
  });

  it("names with each error the page that says what to do, at the public address", async () => {
    const pageOf = async (...call: Parameters<Api["call"]>) => (await api.call(...call)).body.error.doc_url;
    const page = (code: string) => `${api.config.baseUrl}/docs/errors#${code}`;
    expect(await pageOf("GET", "/v1/nope")).toBe(page("not_found"));
    expect(await pageOf("GET", "/v1/schedules")).toBe(page("unauthorized"));
    expect(await pageOf("PUT", "/v1/schedules")).toBe(page("method_not_allowed"));
    expect(await pageOf("POST", "/v1/schedules", caller.live, {})).toBe(page("validation"));
  });

  it("answers OPTIONS with 204 and Allow, and grants nothing to other origins", async () => {
    const answer = await api.call("OPTIONS", "/v1/schedules", null, undefined, { origin: "https://evil.example" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("answers HEAD as GET without the body", async () => {
    const answer = await api.call("HEAD", "/v1/schedules", caller.live);
    expect(answer).toMatchObject({ status: 200, text: "" });
    expect(await api.call("HEAD", "/v1/schedules")).toMatchObject({ status: 401, text: "" });
  });

  it("makes a request id of its own, whatever the caller sends", async () => {
    const ask = async () =>
      (await api.call("GET", "/v1/nope", null, undefined, { "x-request-id": "mine" })).headers.get("x-request-id");
    const ids = [await ask(), await ask()];
    expect(ids[0]).toMatch(/^req_[0-9a-f]{32}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe("a body", () => {
  const post = (body: unknown, headers: Record<string, string>) =>
    api.call("POST", "/v1/schedules", caller.live, body, headers);

  it.each([
    "application/json",
    "Application/JSON; Charset=UTF-8",
    'application/json;charset="utf-8"',
    "application/json ; charset=utf8 ;",
    "application/json; profile=x",
  ])("may have the type %s", async (type) => {
    expect(await post(valid, { "content-type": type })).toMatchObject({ status: 201 });
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/json+x",
    "application/problem+json",
    "application/json; charset=utf-16",
    'application/json; charset="iso-8859-1"',
    "application/json charset=utf-8",
    "application/json, application/json",
    'application/json; charset="utf-8',
  ])("may not have the type %s", async (type) => {
    const answer = await post(valid, { "content-type": type });
    expect(answer).toMatchObject({ status: 415, body: { error: { code: "UNSUPPORTED_MEDIA_TYPE" } } });
  });

  it("may not be compressed", async () => {
    expect(await post(valid, { "content-encoding": "gzip" })).toMatchObject({ status: 415 });
    expect(await post(valid, { "content-encoding": "identity" })).toMatchObject({ status: 201 });
  });

  it("may begin with a byte order mark", async () => {
    expect(await post(`\ufeff${JSON.stringify(valid)}`, {})).toMatchObject({ status: 201 });
  });

  it("may contain a field twice, of which the last one counts", async () => {
    const text = `{"targetUrl":1,"targetUrl":"${TARGET}","fireAt":"${FUTURE}"}`;
    expect(await post(text, {})).toMatchObject({ status: 201 });
  });

  it("is cut off while it is read once it exceeds 2 MiB, whatever length it claims", async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(97));
      },
      cancel() {
        cancelled = true;
      },
    });
    const answer = await post(endless, {});
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } });
    expect(pulled).toBeLessThan(2.5 * 1024 * 1024);
    expect(cancelled).toBe(true);
  });

  it("that breaks off is the caller's fault", async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from("{"));
        controller.error(new Error("aborted"));
      },
    });
    expect(await post(broken, {})).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
  });

  it("is never repeated in an error", async () => {
    const answer = await post('{"payload": "canary" canary', {});
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain("canary");
  });
});

describe("a query", () => {
  it.each([
    "foo=1",
    "__proto__=1",
    "__proto__[x]=1",
    "=1",
    "limit=",
    "limit=1&limit=1",
    "limit=0",
    "limit=-5",
    "limit=1e2",
    "limit=0x10",
    "limit=1.5",
    "limit=+1",
    "limit=%201",
    "limit=NaN",
    "offset=-1",
    "offset=01",
    "offset=10001",
    "offset=99999999999999999999",
    "status=",
    "status=done",
    "status=scheduled,",
    "status=scheduled,done",
    "sort=created_at",
    "from=2031-01-01",
    "to=yesterday",
    "from=2031-01-01T00:00:00+01:00",
    "q=",
    "q=%00",
    `q=${"a".repeat(201)}`,
  ])("with ?%s is VALIDATION", async (query) => {
    const answer = await api.call("GET", `/v1/schedules?${query}`, caller.live);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{}] } } });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it.each(["q=%", "q=%E0%A4%A", "q=%ED%A0%80", "q=%5C", "q=_", "limit=99999999999999999999", "status=dead,failed"])(
    "with ?%s is answered",
    async (query) => {
      expect(await api.call("GET", `/v1/schedules?${query}`, caller.live)).toMatchObject({ status: 200 });
    },
  );

  it("is refused where no parameter is expected", async () => {
    for (const path of ["/v1/signing-secrets?x=1", "/v1/openapi.json?x=1", "/v1/status/punctuality?x=1"]) {
      expect(await api.call("GET", path, caller.live)).toMatchObject({ status: 400 });
    }
    expect(await api.call("POST", "/v1/schedules?dry=1", caller.live, valid)).toMatchObject({ status: 400 });
  });
});

describe("a health check", () => {
  it.each(["?x=1", "?_=1767225600&x", "?limit=&limit=", "?__proto__=1", "?%"])(
    "answers a probe that adds %s to get past a cache",
    async (query) => {
      expect(await api.call("GET", `/healthz${query}`)).toMatchObject({ status: 200, body: { status: "ok" } });
      expect(await api.call("GET", `/readyz${query}`)).toMatchObject({ status: 503, body: { status: "unavailable" } });
    },
  );

  it("is live without a database, and ready only with a dispatcher whose heartbeat is recent", async () => {
    expect(await api.call("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await api.call("GET", "/readyz")).toMatchObject({
      status: 503,
      body: { status: "unavailable", checks: { database: "ok", queue: "unavailable" } },
    });
    await api.sql`INSERT INTO dispatchers (id, host, pid, version) VALUES (gen_random_uuid(), 'h', 1, '0')`;
    const ready = async (status: number) => (await api.call("GET", "/readyz")).status === status;
    await waitFor("it is ready", () => ready(200));
    expect(await api.call("GET", "/readyz")).toMatchObject({
      status: 200,
      body: { status: "ok", checks: { database: "ok", queue: "ok" } },
    });
    await api.sql`UPDATE dispatchers SET beat_at = now() - interval '16 s'`;
    await waitFor("it is not ready any more", () => ready(503));
  });
});

describe("an unexpected error", () => {
  it("has a fixed text for the caller", async () => {
    await api.sql`UPDATE signing_secrets SET current = 'not sealed'::bytea WHERE account_id = ${caller.accountId}::uuid`;
    const answer = await api.call("GET", "/v1/signing-secrets", caller.live);
    expect(answer).toMatchObject({ status: 500, body: { error: { code: "INTERNAL" } } });
    expect(answer.text).not.toMatch(/sealed|decrypt|key/i);
  });
});
