import { expect, test } from "vitest";
import { type ServiceErrorCode, Stopwatch } from "../../../sdk/src/index.ts";
import { KEY, OPERATION_ID, SCHEDULE_ID } from "./fake-service.ts";
import { document, operationOf, operationsOfKeys } from "./operations.ts";

test("every operation that takes an API key has a method, and the public figures are asked for without the key", async () => {
  const asked = new Map<string, { Authorization?: string }>();
  const client = new Stopwatch(KEY, {
    baseUrl: "https://stopwatch.example.com",
    async fetch(url, { method, headers }) {
      asked.set(operationOf(method, url)?.operationId ?? `${method} ${url}`, headers);
      const body = {
        status: "dead",
        limits: { bulk_items: 1 },
        accepted: [],
        rejected: [],
        items: [],
        next_cursor: null,
      };
      return Response.json(body);
    },
  });
  const { schedules, recurrences, operations: many, logs, signingSecrets } = client;
  const input = { targetUrl: "https://example.com/hook", fireIn: "90s" };
  await schedules.create(input);
  await schedules.createMany([input]);
  await schedules.put("cart-1234", input);
  await schedules.getByKey("cart-1234");
  await schedules.cancelByKey("cart-1234");
  await schedules.get(SCHEDULE_ID);
  await schedules.list();
  await schedules.attempts(SCHEDULE_ID);
  await schedules.reschedule(SCHEDULE_ID, { fireIn: "90s" });
  await schedules.fire(SCHEDULE_ID);
  await schedules.cancel(SCHEDULE_ID);
  await schedules.replay(SCHEDULE_ID);
  await schedules.clone(SCHEDULE_ID, { payload: "" });
  await schedules.wait(SCHEDULE_ID);
  await recurrences.put("daily-report", { cron: "@daily", targetUrl: "https://example.com/hook" });
  await recurrences.get("daily-report");
  await recurrences.list();
  await recurrences.pause("daily-report");
  await recurrences.resume("daily-report");
  await recurrences.delete("daily-report");
  await many.start({ action: "cancel", all: true });
  await many.list();
  await many.get(OPERATION_ID);
  await many.stop(OPERATION_ID);
  await many.wait(OPERATION_ID);
  await logs.list();
  await client.overview({ period: "7d" });
  await client.usage();
  await client.me();
  await client.punctuality();
  await signingSecrets.get();
  await signingSecrets.rotate();

  expect(operationsOfKeys.length).toBeGreaterThanOrEqual(20);
  expect([...asked.keys()].toSorted()).toEqual(
    ["getPunctuality", ...operationsOfKeys.map((one) => one.operationId)].toSorted(),
  );
  for (const [name, { Authorization }] of asked) {
    expect(Authorization, name).toBe(name === "getPunctuality" ? undefined : `Bearer ${KEY}`);
  }
});

test("every error code of the document is a code of the SDK", () => {
  // A missing or an extra code does not compile.
  const codes = {
    VALIDATION: true,
    UNAUTHORIZED: true,
    QUOTA_EXCEEDED: true,
    FORBIDDEN: true,
    NOT_FOUND: true,
    METHOD_NOT_ALLOWED: true,
    CONFLICT: true,
    PAYLOAD_TOO_LARGE: true,
    UNSUPPORTED_MEDIA_TYPE: true,
    RATE_LIMITED: true,
    INTERNAL: true,
    UNAVAILABLE: true,
  } satisfies Record<ServiceErrorCode, true>;
  expect(Object.keys(document.components.responses).toSorted()).toEqual(Object.keys(codes).toSorted());
});
