import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Retry } from "../../../sdk/src/index.ts";
import {
  type Answer,
  type FakeService,
  hangUp,
  json,
  KEY,
  refusal,
  SCHEDULE_ID,
  silence,
  startFakeService,
} from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

const schedule = { id: SCHEDULE_ID, status: "scheduled" };
const get = (options = {}) => service.client(options).schedules.get(SCHEDULE_ID);

test("a create sends the key, JSON and an idempotency key, and resolves to the body of the answer", async () => {
  const created = { id: SCHEDULE_ID, status: "scheduled" };
  service.answer(json(201, created));
  const input = { targetUrl: new URL("https://example.com/hook"), fireAt: new Date(0), json: { hello: "wörld" } };
  expect(await service.client().schedules.create(input)).toEqual(created);
  const [request] = service.requests;
  expect(request).toMatchObject({ method: "POST", url: "/v1/schedules", headers: { authorization: `Bearer ${KEY}` } });
  expect(request?.headers["content-type"]).toBe("application/json");
  expect(request?.body).toEqual({
    targetUrl: "https://example.com/hook",
    fireAt: "1970-01-01T00:00:00.000Z",
    payload: '{"hello":"wörld"}',
    headers: { "Content-Type": "application/json" },
    idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

describe("a call is tried again", () => {
  const breaks: Answer = (_request, response, socket) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write('{"id":', () => socket.destroy());
  };

  test.each<[string, Answer, string, number | undefined]>([
    ["a closed connection", hangUp, "NETWORK", undefined],
    ["an answer that breaks off", breaks, "NETWORK", undefined],
    ["408", refusal(408, "VALIDATION"), "VALIDATION", 408],
    ["429", refusal(429, "RATE_LIMITED"), "RATE_LIMITED", 429],
    ["500", refusal(500, "INTERNAL"), "INTERNAL", 500],
    ["502 from a proxy", (_request, response) => response.writeHead(502).end("<html>"), "BAD_RESPONSE", 502],
    ["503", refusal(503, "UNAVAILABLE"), "UNAVAILABLE", 503],
    ["504 without a body", (_request, response) => response.writeHead(504).end(), "BAD_RESPONSE", 504],
  ])("after %s, and onRetry is told", async (_name, fault, code, status) => {
    const retries: Retry[] = [];
    service.answer(fault, json(200, schedule));
    expect(await get({ onRetry: (retry: Retry) => retries.push(retry) })).toEqual(schedule);
    expect(service.requests).toHaveLength(2);
    expect(retries).toMatchObject([{ attempt: 1, error: { code, attempts: 1 } }]);
    const [{ waitMs, error }] = retries as [Retry];
    expect(error.status).toBe(status);
    const [first, second] = service.requests.map(({ atMs }) => atMs) as [number, number];
    expect(waitMs).toBeGreaterThanOrEqual(250);
    expect(second - first).toBeGreaterThanOrEqual(waitMs - 2);
  });

  test.each([400, 401, 402, 403, 404, 409, 413, 415])("but not after %i", async (status) => {
    service.answer(refusal(status, "ANY"));
    await expect(get()).rejects.toMatchObject({ code: "ANY", status, attempts: 1, requestId: "req_1" });
    expect(service.requests).toHaveLength(1);
  });

  test("as often as maxRetries says, of the client or of the call, and the error counts the tries", async () => {
    service.answer(refusal(503, "UNAVAILABLE"));
    await expect(get({ maxRetries: 1 })).rejects.toMatchObject({ code: "UNAVAILABLE", attempts: 2 });
    expect(service.requests).toHaveLength(2);
    service.answer(hangUp);
    const client = service.client({ maxRetries: 5 });
    await expect(client.schedules.get(SCHEDULE_ID, { maxRetries: 0 })).rejects.toMatchObject({
      code: "NETWORK",
      attempts: 1,
    });
    expect(service.requests).toHaveLength(1);
  });

  test("with the same body and key, so that nothing is done twice", async () => {
    const { schedules, operations, signingSecrets } = service.client();
    for (const call of [
      () => schedules.create({ targetUrl: "https://example.com", fireIn: "1h", json: {} }),
      () => schedules.replay(SCHEDULE_ID),
      () => schedules.clone(SCHEDULE_ID, { payload: "x" }),
      () => operations.start({ action: "cancel", all: true }),
    ]) {
      service.answer(hangUp, json(200, {}));
      await call();
      const [first, second] = service.requests;
      expect(second?.text).toBe(first?.text);
      expect(first?.body.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    }
    service.answer(hangUp, json(200, {}));
    await signingSecrets.rotate();
    const [first, second] = service.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  });

  test("with the caller's own idempotency key, where there is one", async () => {
    service.answer(json(200, {}));
    await service.client().schedules.replay(SCHEDULE_ID, { idempotencyKey: "mine" });
    expect(service.requests[0]?.body).toEqual({ idempotencyKey: "mine" });
  });
});

describe("a request of the caller's own", () => {
  test("has query and body, and resolves to the answer, or undefined without one", async () => {
    service.answer(json(200, { some: "thing" }), (_request, response) => response.writeHead(204).end());
    const client = service.client();
    const query = { list: ["a", "b c"], from: new Date(0), none: undefined };
    expect(await client.request("POST", "/v1/things", { query, body: { a: 1 } })).toEqual({ some: "thing" });
    expect(await client.request("DELETE", "/v1/things")).toBeUndefined();
    expect(service.requests).toMatchObject([
      { method: "POST", url: "/v1/things?list=a%2Cb%20c&from=1970-01-01T00%3A00%3A00.000Z", body: { a: 1 } },
      { method: "DELETE", url: "/v1/things", text: "" },
    ]);
    expect(service.requests[1]?.headers["content-type"]).toBeUndefined();
  });

  test("that may act twice is not sent again, unless its body has an idempotency key or it was refused by 429", async () => {
    const client = service.client();
    for (const method of ["POST", "PATCH"] as const) {
      service.answer(hangUp);
      await expect(client.request(method, "/v1/things", { body: {} })).rejects.toMatchObject({ code: "NETWORK" });
      expect(service.requests).toHaveLength(1);
    }
    service.answer(hangUp, json(200, {}));
    await client.request("POST", "/v1/things", { body: { idempotencyKey: "k" } });
    service.answer(refusal(429, "RATE_LIMITED"), json(200, {}));
    await client.request("POST", "/v1/things");
    service.answer(hangUp, json(200, {}));
    await client.request("DELETE", "/v1/things");
    expect(service.requests).toHaveLength(2);
  });

  test("goes to a path of the client's address and nowhere else", async () => {
    const client = service.client();
    for (const path of ["", ".evil.example/", "@evil.example/", "https://evil.example/", "/v1/x?a=1", "/v1/x#a", 7]) {
      await expect(client.request("GET", path as string)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });
});

test("an answer that arrives slowly is read to its end", async () => {
  service.answer((_request, response) => {
    response.writeHead(200);
    response.write('{"id":"');
    setTimeout(() => response.end(`${SCHEDULE_ID}"}`), 60);
  });
  expect(await get({ maxRetries: 0 })).toEqual({ id: SCHEDULE_ID });
});

test("a try without an answer ends after attemptTimeoutMs and is followed by the next", async () => {
  service.answer(silence, json(200, schedule));
  expect(await get({ attemptTimeoutMs: 50 })).toEqual(schedule);
  service.answer((_request, response) => response.writeHead(200).write("{"));
  await expect(get({ attemptTimeoutMs: 50, maxRetries: 0 })).rejects.toMatchObject({ code: "TIMEOUT", attempts: 1 });
});

test("calls that follow each other use the same connection", async () => {
  service.answer(json(200, schedule));
  const client = service.client();
  await client.schedules.get(SCHEDULE_ID);
  const before = service.connections();
  for (let n = 0; n < 50; n++) await client.schedules.get(SCHEDULE_ID);
  expect(service.connections() - before).toBeLessThanOrEqual(1);
});
