import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { generateSigningSecret } from "#domain/signing.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import {
  type Delivery,
  Gone,
  memoryOnce,
  type Once,
  type ReceiveOptions,
  RetryLater,
  receive,
  signDelivery,
} from "../../../sdk/src/receive.ts";

const SECRET = generateSigningSecret();
const BODY = '{"customer": "cus_81"}';

async function post(body = BODY, { secret = SECRET, scheduleId = "sch_1", at = Date.now() } = {}): Promise<Request> {
  const headers = await signDelivery({ secret, body, scheduleId, at });
  return new Request("https://example.com/hook", { method: "POST", headers, body });
}

/** A receiver that notes what it runs and what it reports. */
function receiver(options: Partial<ReceiveOptions> = {}) {
  const onDelivery = vi.fn<(delivery: Delivery) => unknown>();
  const onError = vi.fn<(error: unknown) => void>();
  return { handle: receive({ secrets: [SECRET], onDelivery, onError, ...options }), onDelivery, onError };
}

async function shown(response: Response) {
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get("Retry-After") };
}

it("receive runs a delivery and answers 200 once onDelivery has ended", async () => {
  let hasEnded = false;
  const { handle, onError } = receiver({
    async onDelivery(delivery) {
      await new Promise(setImmediate);
      hasEnded = delivery.json<{ customer: string }>().customer === "cus_81" && delivery.scheduleId === "sch_1";
    },
  });
  expect(await shown(await handle(await post()))).toEqual({ status: 200, text: "ok", retryAfter: null });
  expect(hasEnded).toBe(true);
  expect(onError).not.toHaveBeenCalled();
});

describe("a Response that onDelivery returns is the answer", () => {
  it.each([
    [new Response("taken", { status: 202 }), { status: 202, text: "taken", retryAfter: null }, "finish"],
    [
      new Response("later", { status: 503, headers: { "Retry-After": "7" } }),
      { status: 503, text: "later", retryAfter: "7" },
      "fail",
    ],
    [new Response("no", { status: 404 }), { status: 404, text: "no", retryAfter: null }, "fail"],
  ])("%#", async (response, expected, end) => {
    const once = { begin: () => "new" as const, finish: vi.fn(), fail: vi.fn() };
    const { handle, onDelivery, onError } = receiver({ once });
    onDelivery.mockResolvedValue(response);
    expect(await shown(await handle(await post()))).toEqual(expected);
    expect([once.finish.mock.calls.length, once.fail.mock.calls.length]).toEqual(end === "finish" ? [1, 0] : [0, 1]);
    expect(onError).not.toHaveBeenCalled();
  });
});

it("receive without onDelivery or secrets throws when it is made, by name; secrets that are not set yet do not", () => {
  const onDelivery = () => {};
  expect(() => receive(undefined as never)).toThrow("onDelivery is missing");
  expect(() => receive({ secrets: [SECRET] } as never)).toThrow("onDelivery is missing");
  expect(() => receive({ onDelivery, secret: SECRET } as never)).toThrow("secrets is missing");
  expect(() => receive({ onDelivery, secrets: [undefined] })).not.toThrow();
});

it.each(["GET", "POST", "PUT", "PATCH", "DELETE"])("receive accepts a %s without a body", async (method) => {
  const { handle, onDelivery } = receiver();
  const headers = await signDelivery({ secret: SECRET, body: "" });
  expect((await handle(new Request("https://example.com/hook", { method, headers }))).status).toBe(200);
  expect(onDelivery).toHaveBeenCalledOnce();
});

describe("receive answers 401, says why, and runs nothing", () => {
  it.each([
    ["no_match", async () => post(BODY, { secret: generateSigningSecret() })],
    ["too_old", async () => post(BODY, { at: Date.now() - 301_000 })],
    ["too_new", async () => post(BODY, { at: Date.now() + 302_000 })],
    ["missing_header", async () => new Request("https://example.com/hook")],
    ["missing_header", async () => new Request("https://example.com/hook", { method: "HEAD" })],
  ])("%s", async (reason, request) => {
    const { handle, onDelivery, onError } = receiver();
    const answer = await shown(await handle(await request()));
    expect(answer.status).toBe(401);
    expect(answer.text.startsWith(`${reason}: `)).toBe(true);
    expect(onDelivery).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it("before it reads the body of a request without a signature", async () => {
    const { handle } = receiver();
    const request = new Request("https://example.com/hook", { method: "POST", body: BODY });
    expect((await handle(request)).status).toBe(401);
    expect(request.bodyUsed).toBe(false);
  });
});

describe("receive is misconfigured", () => {
  it.each([
    [[], "secrets"],
    [[SECRET, "whsec_canary"], "secrets[1]"],
    [[undefined as unknown as string], "secrets[0]"],
  ])("with invalid secrets (%#): the answer is 500 and names their path, not their value", async (secrets, path) => {
    const { handle, onDelivery, onError } = receiver({ secrets });
    const answer = await shown(await handle(await post()));
    expect(answer).toMatchObject({ status: 500, retryAfter: null });
    expect(answer.text.startsWith(`misconfigured: ${path} must be`)).toBe(true);
    expect(`${answer.text}${inspect(onError.mock.calls)}`).not.toMatch(/canary/);
    expect(onError).toHaveBeenCalledOnce();
    expect(onDelivery).not.toHaveBeenCalled();
  });

  it("when something has read the body: the answer is 500 and says what to do", async () => {
    const { handle, onDelivery, onError } = receiver();
    const request = await post();
    await request.json();
    const answer = await shown(await handle(request));
    expect(answer).toMatchObject({ status: 500, text: expect.stringContaining("verify first") });
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: "body_used" }));
    expect(onDelivery).not.toHaveBeenCalled();
  });
});

describe("maxBytes", () => {
  function streamed(chunks: number, bytesEach: number): { body: ReadableStream; taken: () => number } {
    let taken = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (taken++ === chunks) controller.close();
        else controller.enqueue(new Uint8Array(bytesEach));
      },
    });
    return { body, taken: () => taken };
  }

  async function request(body: ReadableStream | Uint8Array<ArrayBuffer>, signed: Uint8Array): Promise<Request> {
    const headers = await signDelivery({ secret: SECRET, body: signed });
    return new Request("https://example.com/hook", { method: "POST", headers, body, duplex: "half" } as RequestInit);
  }

  it("is enforced while the body is read; the rest is not read", async () => {
    const { handle, onDelivery } = receiver({ maxBytes: 1_000 });
    const { body, taken } = streamed(1_000, 100);
    const answer = await shown(await handle(await request(body, new Uint8Array(100_000))));
    expect(answer).toMatchObject({ status: 413, text: expect.stringContaining("1000") });
    expect(taken()).toBeLessThan(20);
    expect(onDelivery).not.toHaveBeenCalled();
  });

  it("is the largest body that is accepted, 1 MiB by default", async () => {
    const { body } = streamed(10, 100);
    const small = receiver({ maxBytes: 1_000 });
    expect((await small.handle(await request(body, new Uint8Array(1_000)))).status).toBe(200);
    const { handle } = receiver();
    const largest = new Uint8Array(1 << 20);
    expect((await handle(await request(largest, largest))).status).toBe(200);
    const larger = new Uint8Array((1 << 20) + 1);
    expect((await handle(await request(larger, larger))).status).toBe(413);
  });

  it("that is not a number refuses every body", async () => {
    const { handle } = receiver({ maxBytes: Number.NaN });
    expect((await handle(await post())).status).toBe(413);
  });
});

it("receive answers 400 and runs nothing when the body breaks off", async () => {
  const { handle, onDelivery, onError } = receiver();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(BODY));
      controller.error(new Error("the client is gone"));
    },
  });
  const headers = await signDelivery({ secret: SECRET, body: BODY });
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  expect((await handle(new Request("https://example.com/hook", init))).status).toBe(400);
  expect(onDelivery).not.toHaveBeenCalled();
  expect(onError).not.toHaveBeenCalled();
});

describe("what onDelivery throws", () => {
  const throwing = (error: unknown, options: Partial<ReceiveOptions> = {}) =>
    receiver({
      onDelivery() {
        throw error;
      },
      ...options,
    });

  it.each([
    [new RetryLater(60), { status: 503, retryAfter: "60" }],
    [new RetryLater(0.2), { status: 503, retryAfter: "1" }],
    [new Gone(), { status: 410, retryAfter: null }],
  ])("is an answer for the dispatcher: %s", async (error, expected) => {
    const { handle, onError } = throwing(error);
    expect(await shown(await handle(await post()))).toMatchObject(expected);
    expect(onError).not.toHaveBeenCalled();
  });

  it.each([new Error("canary"), "canary", undefined, null])(
    "is otherwise reported and answered with 500, without being shown: %s",
    async (error) => {
      const { handle, onError } = throwing(error);
      expect(await shown(await handle(await post()))).toEqual({ status: 500, text: "failed", retryAfter: null });
      expect(onError).toHaveBeenCalledExactlyOnceWith(error);
    },
  );

  it("is reported to console.error unless there is onError", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    const error = new Error("out of stock");
    const { handle } = throwing(error, { onError: undefined });
    expect((await handle(await post())).status).toBe(500);
    expect(reported).toHaveBeenCalledExactlyOnceWith(error);
    reported.mockRestore();
  });

  it("is answered with 500 even when it is an error of the delivery itself, as for invalid JSON", async () => {
    const { handle } = receiver({ onDelivery: (delivery) => delivery.json() });
    expect((await handle(await post("no JSON"))).status).toBe(500);
  });
});

describe("once", () => {
  function deferred() {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { until, release };
  }

  it("runs a schedule once: a repeat gets 503 while it runs, and 200 when it is done", async () => {
    const { until, release } = deferred();
    const onDelivery = vi.fn(() => until);
    const { handle } = receiver({ once: memoryOnce(), onDelivery });
    const first = handle(await post());
    await waitFor("it runs", () => onDelivery.mock.calls.length > 0);
    expect(await shown(await handle(await post()))).toEqual({ status: 503, text: "busy", retryAfter: "30" });
    const other = handle(await post(BODY, { scheduleId: "sch_2" }));
    release();
    expect((await first).status).toBe(200);
    expect((await other).status).toBe(200);
    expect(await shown(await handle(await post()))).toEqual({ status: 200, text: "done", retryAfter: null });
    expect(onDelivery).toHaveBeenCalledTimes(2);
  });

  it.each([new RetryLater(5), new Gone(), new Error("out of stock")])("is released by a throw: %s", async (error) => {
    const onDelivery = vi.fn(() => {
      if (onDelivery.mock.calls.length === 1) throw error;
    });
    const { handle } = receiver({ once: memoryOnce(), onDelivery });
    expect((await handle(await post())).status).not.toBe(200);
    expect((await handle(await post())).status).toBe(200);
    expect(await shown(await handle(await post()))).toMatchObject({ status: 200, text: "done" });
    expect(onDelivery).toHaveBeenCalledTimes(2);
  });

  it("is asked only about requests with a valid signature", async () => {
    const once = { begin: vi.fn(() => "new" as const), finish: vi.fn(), fail: vi.fn() };
    const { handle } = receiver({ once });
    expect((await handle(await post(BODY, { secret: generateSigningSecret() }))).status).toBe(401);
    expect(once.begin).not.toHaveBeenCalled();
  });

  function failing(step: keyof Once, error = new Error("the database is away")): Once {
    return {
      begin: () => "new",
      finish: () => {},
      fail: () => {},
      [step]: () => {
        throw error;
      },
    };
  }

  it("whose begin fails runs nothing, and releases nothing", async () => {
    const error = new Error("the database is away");
    const once = { ...failing("begin", error), fail: vi.fn() };
    const { handle, onDelivery, onError } = receiver({ once });
    expect((await handle(await post())).status).toBe(500);
    expect(onDelivery).not.toHaveBeenCalled();
    expect(once.fail).not.toHaveBeenCalled();
    expect(onError).toHaveBeenCalledExactlyOnceWith(error);
  });

  it("whose finish fails is reported; the answer is still 200, because the work was done", async () => {
    const error = new Error("the database is away");
    const once = { ...failing("finish", error), fail: vi.fn() };
    const { handle, onError } = receiver({ once });
    expect((await handle(await post())).status).toBe(200);
    expect(once.fail).not.toHaveBeenCalled();
    expect(onError).toHaveBeenCalledExactlyOnceWith(error);
  });

  it("whose fail fails is reported, and so is the error of onDelivery", async () => {
    const [failure, thrown] = [new Error("the database is away"), new Error("out of stock")];
    const { handle, onError } = receiver({
      once: failing("fail", failure),
      onDelivery: () => Promise.reject(thrown),
    });
    expect((await handle(await post())).status).toBe(500);
    expect(onError.mock.calls).toEqual([[failure], [thrown]]);
  });

  it("whose begin returns an unknown value runs nothing", async () => {
    const once = { begin: () => undefined as never, finish: () => {}, fail: () => {} };
    const { handle, onDelivery } = receiver({ once });
    expect((await handle(await post())).status).toBe(503);
    expect(onDelivery).not.toHaveBeenCalled();
  });
});

describe("memoryOnce", () => {
  it("forgets the oldest of more than 10,000 finished ids, and none that is running", async () => {
    const once = memoryOnce();
    expect(await once.begin("at work")).toBe("new");
    for (let index = 0; index <= 10_000; index++) {
      await once.begin(`done ${index}`);
      await once.finish(`done ${index}`);
    }
    expect(await once.begin("at work")).toBe("busy");
    expect(await once.begin("done 1")).toBe("done");
    expect(await once.begin("done 0")).toBe("new");
  });
});
