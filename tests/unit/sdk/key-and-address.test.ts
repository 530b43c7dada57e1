import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { generateApiKey, parseApiKey } from "#domain/api-key.ts";
import { Stopwatch, StopwatchError, type StopwatchOptions } from "../../../sdk/src/index.ts";
import { KEY } from "./fake-service.ts";

const ADDRESS = "https://stopwatch.example.com";

afterEach(() => vi.unstubAllGlobals());

function errorOf(make: () => unknown): StopwatchError {
  try {
    make();
  } catch (error) {
    if (StopwatchError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const keyError = (key: unknown) => errorOf(() => new Stopwatch(key as string, { baseUrl: ADDRESS }));
const addressError = (baseUrl: unknown) => errorOf(() => new Stopwatch(KEY, { baseUrl } as StopwatchOptions));

describe("the API key", () => {
  test.each([
    [undefined, "is missing"],
    [null, "is missing"],
    ["", "is missing"],
    [{ apiKey: KEY }, "does not begin with sw_live_ or sw_test_"],
    ["undefined", "is missing: undefined"],
    ["null", "is missing: null"],
    [` ${KEY}`, "blanks or a line break"],
    [`${KEY}\n`, "blanks or a line break"],
    [`\u00a0${KEY}`, "blanks or a line break"],
    [`Bearer ${KEY}`, "no Bearer"],
    [`"${KEY}"`, "no quotes"],
    [KEY.toUpperCase(), "does not begin"],
    [KEY.slice(0, -1), "has 45 characters, not 46"],
    [KEY + KEY, "has 92 characters, not 46"],
    [`${KEY.slice(0, 20)}-${KEY.slice(21)}`, "has a typing error"],
    [`${KEY.slice(0, 20)}é${KEY.slice(21)}`, "has a typing error"],
  ])("that is %j is refused with what is wrong, and without the key", (key, problem) => {
    const error = keyError(key);
    expect(error).toMatchObject({ code: "INVALID_KEY", message: expect.stringContaining(problem), attempts: 0 });
    expect(inspect(error, { depth: 9 })).not.toContain(KEY.slice(20, 32));
  });

  test("is accepted as the service makes it, and names its environment", () => {
    fc.assert(
      fc.property(fc.constantFrom("live" as const, "test" as const), (env) => {
        expect(new Stopwatch(generateApiKey(env), { baseUrl: ADDRESS }).env).toBe(env);
      }),
    );
  });

  test("may name the cell that made it", () => {
    const key = "sw_live_c2_0123456789ABCDEFGHIJKLMNOPQRSTUV2rZVwg";
    expect(new Stopwatch(key, { baseUrl: ADDRESS }).env).toBe("live");
    expect(keyError(key.slice(0, -1)).message).toContain("has 48 characters, not 49");
    expect(keyError(key.replace("c2", "c3")).message).toContain("has a typing error");
  });

  test("with one character replaced, or two exchanged, is refused wherever the service would refuse it", () => {
    const digit = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 45 }), digit, (at, char) => {
        for (const typed of [
          KEY.slice(0, at) + char + KEY.slice(at + 1),
          KEY.slice(0, at) + KEY.charAt(at + 1) + KEY.charAt(at) + KEY.slice(at + 2),
        ]) {
          const isRight = parseApiKey(typed) !== null;
          if (isRight) expect(() => new Stopwatch(typed, { baseUrl: ADDRESS })).not.toThrow();
          else expect(keyError(typed).code).toBe("INVALID_KEY");
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the address", () => {
  test("is baseUrl, as text or URL and without a slash at its end, else STOPWATCH_URL", () => {
    expect(new Stopwatch(KEY, { baseUrl: "https://a.example/stopwatch/" }).baseUrl).toBe("https://a.example/stopwatch");
    expect(new Stopwatch(KEY, { baseUrl: new URL("http://localhost:3000") }).baseUrl).toBe("http://localhost:3000");
    vi.stubGlobal("process", { env: { STOPWATCH_URL: "https://b.example" } });
    expect(new Stopwatch(KEY).baseUrl).toBe("https://b.example");
    expect(new Stopwatch(KEY, { baseUrl: undefined }).baseUrl).toBe("https://b.example");
    expect(new Stopwatch(KEY, { baseUrl: "https://a.example" }).baseUrl).toBe("https://a.example");
  });

  test("is required, also in a runtime without an environment or that denies reading it", () => {
    const env = {
      get STOPWATCH_URL(): string {
        throw new Error("Requires env access");
      },
    };
    for (const process of [undefined, {}, { env: {} }, { env: { STOPWATCH_URL: "" } }, { env }]) {
      vi.stubGlobal("process", process);
      const error = errorOf(() => new Stopwatch(KEY));
      vi.unstubAllGlobals();
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ path: "baseUrl" }] });
      expect(error.message).toContain("STOPWATCH_URL");
    }
  });

  test.each([
    "",
    "stopwatch.example.com",
    "ftp://stopwatch.example.com",
    "https://",
    "https://name:canary@stopwatch.example.com",
    "https://canary@stopwatch.example.com",
    "https://stopwatch.example.com/?token=canary",
    "https://stopwatch.example.com/#canary",
    "https://stopwatch.example.com/v1",
    "https://stopwatch.example.com/v1/",
    null,
    42,
    {},
  ])("that is %j is refused with an example, and the message does not repeat it", (baseUrl) => {
    const error = addressError(baseUrl);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ path: "baseUrl" }] });
    expect(error.message).toContain("https://stopwatch.example.com");
    expect(error.message).not.toContain("canary");
  });
});

test("a client is refused in the window of a browser, but not in a worker", () => {
  vi.stubGlobal("window", { document: {} });
  expect(errorOf(() => new Stopwatch(KEY, { baseUrl: ADDRESS }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("browser"),
  });
  vi.stubGlobal("window", {});
  vi.stubGlobal("self", globalThis);
  expect(() => new Stopwatch(KEY, { baseUrl: ADDRESS })).not.toThrow();
});

test("a client is made in jsdom and happy-dom, which are no browsers", () => {
  vi.stubGlobal("window", { document: {} });
  for (const name of ["jsdom/27.0.0", "HappyDOM/20.0.0"]) {
    vi.stubGlobal("navigator", { userAgent: `Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) ${name}` });
    expect(() => new Stopwatch(KEY, { baseUrl: ADDRESS })).not.toThrow();
  }
  vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0" });
  expect(() => new Stopwatch(KEY, { baseUrl: ADDRESS })).toThrow("browser");
});

test("a client without arguments takes STOPWATCH_API_KEY and STOPWATCH_URL", () => {
  vi.stubGlobal("process", { env: { STOPWATCH_API_KEY: KEY, STOPWATCH_URL: "https://b.example" } });
  expect(new Stopwatch()).toMatchObject({ baseUrl: "https://b.example", env: "test" });
  vi.stubGlobal("process", { env: {} });
  expect(keyError(undefined).message).toContain("is missing");
});

test("a client prints as its address and environment, and its parts can be replaced in a test", () => {
  const client = new Stopwatch(KEY, { baseUrl: ADDRESS });
  expect(inspect(client)).toBe("Stopwatch { baseUrl: 'https://stopwatch.example.com', env: 'test' }");
  expect(JSON.stringify(client)).toBe('{"baseUrl":"https://stopwatch.example.com","env":"test"}');
  const get = vi.spyOn(client.schedules, "get");
  expect(client.schedules.get).toBe(get);
  get.mockRestore();
});
