import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { StopwatchError, type StopwatchOptions } from "../../../sdk/src/index.ts";
import { type Answer, type FakeService, json, refusal, SCHEDULE_ID, startFakeService } from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => service.stop());

const failure = async (answer: Answer, options = {}): Promise<StopwatchError> => {
  service.answer(answer);
  return service
    .client({ maxRetries: 0, ...options })
    .schedules.get(SCHEDULE_ID)
    .then(
      () => {
        throw new Error("it has not failed");
      },
      (error) => error,
    );
};

const text =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

describe("an error of the service", () => {
  test("names the page that says what to do, as an error of the package does", async () => {
    const error = await failure(refusal(409, "CONFLICT"));
    expect(error.doc_url).toMatch(/^http:\/\/.*\/docs\/errors#conflict$/);
    const doc_url = "https://stopwatch.example/docs/errors#conflict";
    expect(await failure(refusal(409, "CONFLICT", { doc_url }))).toMatchObject({ doc_url });
    expect(new StopwatchError("INVALID_ARGUMENT", "x").doc_url).toBe("/docs/sdk");
  });

  test.each([
    ["targetUrl", "must be an https:// URL", "DELIVERY_ALLOW"],
    ["targetUrl", "must point to a public host", "DELIVERY_ALLOW"],
    ["schedules.0.targetUrl", "must use port 80 or 443", "DELIVERY_ALLOW"],
    ["retries", "is unknown", "setting of the account"],
    ["maxRetries", "is unknown", "setting of the account"],
  ])("says of %s %s what to do: %s", async (path, message, hint) => {
    const error = await failure(refusal(400, "VALIDATION", { details: [{ path, message }] }));
    expect(error.message).toContain(hint);
  });

  test("has its code, status, request id, details and Retry-After", async () => {
    const details = [{ path: "targetUrl", message: "must be https" }];
    const error = await failure(refusal(400, "VALIDATION", { details }, { "Retry-After": "3" }));
    expect(error).toBeInstanceOf(StopwatchError);
    expect(error.message).toBe("it is VALIDATION");
    expect(error).toMatchObject({
      name: "StopwatchError",
      code: "VALIDATION",
      status: 400,
      requestId: "req_1",
      details,
      retryAfterMs: 3_000,
      attempts: 1,
    });
    expect(error.cause).toBeUndefined();
  });

  test("passes through with a code that this package does not know", async () => {
    expect(await failure(refusal(451, "A_NEW_CODE"))).toMatchObject({ code: "A_NEW_CODE", status: 451 });
  });

  test("about fireAt says how far this machine's clock is from the service's", async () => {
    // In the middle of a second, to which the header is cut.
    vi.useFakeTimers({ now: Date.UTC(2031, 0, 1, 0, 0, 0, 500), toFake: ["Date"] });
    const details = [{ path: "fireAt", message: "must be in the future" }];
    const off = async (ms: number) => {
      const date = new Date(Date.now() + ms).toUTCString();
      return (await failure(refusal(400, "VALIDATION", { details }, { Date: date }))).message;
    };
    expect(await off(-90_000)).toMatch(/^it is VALIDATION \(this machine's clock is 90 s ahead\)$/);
    expect(await off(7_200_000)).toMatch(/\(this machine's clock is 7200 s behind\)$/);
    const other = await failure(refusal(400, "VALIDATION", { details: [{ path: "method", message: "no" }] }));
    expect(other.message).toBe("it is VALIDATION");
  });
});

describe("an answer that is not the service's is BAD_RESPONSE, and names the base address", () => {
  test.each<[string, number, Answer]>([
    ["a page", 200, text(200, "<!DOCTYPE html><h1>canary</h1>", { "Content-Type": "text/html" })],
    ["a page of an error", 404, text(404, "<h1>canary</h1>")],
    ["half of an answer", 200, text(200, '{"id":"canary')],
    ["nothing", 200, text(200, "")],
    ["bytes that are no text", 200, (_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))],
    ["JSON text", 200, json(200, "canary")],
    ["null", 200, json(200, null)],
    ["an error of another form", 404, json(404, { message: "canary", statusCode: 404 })],
    ["an error without a message", 400, json(400, { error: { code: "canary" } })],
    ["an error that is a text", 400, json(400, { error: "canary" })],
    ["null with an error's status", 400, json(400, null)],
  ])("%s (%#)", async (_name, status, answer) => {
    const error = await failure(answer);
    expect(error).toMatchObject({ code: "BAD_RESPONSE", status });
    expect(error.message).toContain(service.origin);
    expect(error.message).toContain("is the base address right?");
    expect(JSON.stringify(error) + error.message).not.toContain("canary");
  });

  test("an error whose details are no list has none", async () => {
    expect(await failure(refusal(400, "VALIDATION", { details: "canary" }))).toMatchObject({ details: [] });
  });

  test("a redirect is not followed, since the key would go with it: the error names where it leads", async () => {
    const location = "https://www.example.com/v1/schedules?token=canary";
    const error = await failure(text(308, "", { Location: location }));
    expect(error).toMatchObject({ code: "BAD_RESPONSE", status: 308 });
    expect(error.message).toContain(`${service.origin} redirects to https://www.example.com:`);
    expect(error.message).not.toContain("canary");
    expect((await failure(text(302, "", { Location: "/login" }))).message).toContain("redirects to elsewhere");
    expect(service.requests).toHaveLength(1);
  });

  test("an opaque redirect is BAD_RESPONSE, too", async () => {
    const fetch = async () => ({ status: 0, type: "opaqueredirect", headers: new Headers(), text: async () => "" });
    const error = await failure(json(200, {}), { fetch });
    expect(error).toMatchObject({ code: "BAD_RESPONSE", status: 0 });
    expect(error.message).toContain("redirects to elsewhere");
  });
});

test("a host that cannot be reached is NETWORK, and its cause says why", async () => {
  const closed = await startFakeService();
  await closed.stop();
  const error = await closed
    .client({ maxRetries: 0 })
    .usage()
    .catch((thrown) => thrown);
  expect(error.status).toBeUndefined();
  expect(error).toMatchObject({ code: "NETWORK", message: `${closed.origin} cannot be reached` });
  expect((error.cause as Error).message).toMatch(/^fetch failed, .*ECONNREFUSED/);
});

test("StopwatchError.is recognises errors of other copies and realms by their code, and nothing else", () => {
  const error = new StopwatchError("TIMEOUT", "late");
  expect(StopwatchError.is(error)).toBe(true);
  expect(StopwatchError.is(error, "TIMEOUT")).toBe(true);
  expect(StopwatchError.is(error, "NETWORK")).toBe(false);
  const other = runInNewContext(`Object.assign(new Error("x"), { name: "StopwatchError", code: "TIMEOUT" })`);
  expect(StopwatchError.is(other, "TIMEOUT")).toBe(true);
  for (const value of [new Error("x"), null, undefined, "StopwatchError", 0])
    expect(StopwatchError.is(value)).toBe(false);
});

test("the stack of an error leads to the line that made the call", async () => {
  async function readUsage(options: StopwatchOptions) {
    return await service.client({ maxRetries: 0, ...options }).usage();
  }
  service.answer(refusal(404, "NOT_FOUND"));
  const options = [
    {},
    { fetch: () => Promise.reject(new Error("no")) },
    { fetch: () => new Promise<never>(() => {}), timeoutMs: 10 },
  ];
  for (const option of options) {
    const error = await readUsage(option).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StopwatchError);
    expect(error.stack).toMatch(/at (async )?readUsage .*errors\.test\.ts/);
  }
});
