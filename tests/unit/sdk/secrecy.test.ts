import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CreateInput, FetchLike, StopwatchOptions } from "../../../sdk/src/index.ts";
import { type FakeService, hangUp, KEY, refusal, silence, startFakeService } from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

const PAYLOAD = "canary-payload-7f3a";
const HEADER = "canary-header-91bc";
const CANARIES = [KEY, KEY.slice(8, 30), PAYLOAD, HEADER];

const INPUT: CreateInput = {
  targetUrl: "https://example.com/hook",
  fireIn: "90s",
  payload: PAYLOAD,
  headers: { "X-Secret": HEADER },
};

/** Everything that a log could show of a value: text, fields that are hidden, the stack and all causes. */
function everythingOf(value: unknown): string {
  const seen = [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value), JSON.stringify(value)];
  if (value instanceof Error) {
    const { stack, cause } = value;
    seen.push(stack ?? "", JSON.stringify(value, Object.getOwnPropertyNames(value)), cause ? everythingOf(cause) : "");
  }
  return seen.join("\n");
}

async function failure(options: StopwatchOptions, input = INPUT): Promise<unknown> {
  const client = service.client({ maxRetries: 0, ...options });
  return client.schedules.create(input).then(
    () => {
      throw new Error("it has not failed");
    },
    (error) => error,
  );
}

/** Errors like those of other clients, which hold the whole request. */
const LEAKS: [string, FetchLike][] = [
  ["fields", async (url, init) => Promise.reject(Object.assign(new Error("failed"), { config: { url, ...init } }))],
  ["its message", async (_url, init) => Promise.reject(new Error(`cannot send ${JSON.stringify(init)}`))],
  ["words of its message", async () => Promise.reject(new Error(`refused: payload=${PAYLOAD}, x=${HEADER}; ${KEY}`))],
  ["part of its message", async () => Promise.reject(new Error(`refused near "${PAYLOAD.slice(0, 13)}…"`))],
  ["its cause", async (_url, init) => Promise.reject(new Error("failed", { cause: new Error(init.body) }))],
  ["its name", async (_url, init) => Promise.reject(Object.assign(new Error("failed"), { name: init.body }))],
  [
    "its code",
    async (_url, init) => Promise.reject(Object.assign(new Error("failed"), { code: init.headers.Authorization })),
  ],
  ["what is no error", async (_url, init) => Promise.reject({ ...init })],
  ["a text", async (_url, init) => Promise.reject(init.body)],
];

test.each(LEAKS)(
  "no error holds key, payload or header values, though what fetch throws has them in %s",
  async (_name, fetch) => {
    const error = await failure({ fetch });
    expect(error).toMatchObject({ code: "NETWORK" });
    for (const canary of CANARIES) expect(everythingOf(error)).not.toContain(canary);
  },
);

test("no error holds key, payload or header values, whatever goes wrong", async () => {
  const failures: unknown[] = [];
  for (const answer of [hangUp, refusal(503, "UNAVAILABLE"), refusal(400, "VALIDATION")]) {
    service.answer(answer);
    failures.push(await failure({}));
  }
  service.answer(silence);
  failures.push(await failure({ attemptTimeoutMs: 20 }));
  // An echo, which is no answer of the service.
  service.answer((request, response) => response.writeHead(500).end(JSON.stringify(request)));
  failures.push(await failure({}));
  const circle: Record<string, unknown> = { secret: PAYLOAD };
  circle[PAYLOAD] = circle;
  const json = (value: unknown) => ({ ...INPUT, payload: undefined, json: value }) as CreateInput;
  failures.push(await failure({}, json(circle)));
  failures.push(await failure({}, json({ toJSON: () => JSON.parse(PAYLOAD) })));
  failures.push(await failure({}, { ...INPUT, headers: { "X-Secret": `${HEADER}\r\nX-Other: 1` } }));
  expect(failures.length).toBe(8);
  for (const error of failures) {
    expect(error).toMatchObject({ name: "StopwatchError" });
    for (const canary of CANARIES) expect(everythingOf(error)).not.toContain(canary);
  }
});

test("no client holds its key where it can be printed", () => {
  const client = service.client();
  for (const value of [client, client.schedules, client.operations, client.logs, client.signingSecrets]) {
    expect(everythingOf(value)).not.toContain(KEY.slice(8, 30));
  }
});
