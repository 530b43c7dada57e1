import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeService, json, KEY, SCHEDULE_ID, startFakeService } from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

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
