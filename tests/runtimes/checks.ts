import { Stopwatch, StopwatchError, verifySignature, verifyStripeStyle } from "stopwatch-sdk";
import { Gone, memoryOnce, RetryLater, receive, signDelivery } from "stopwatch-sdk/receive";
import { fakeStopwatch } from "stopwatch-sdk/testing";

export type Surroundings = {
  /** A valid API key. */
  apiKey: string;
  /** The server of tests/helpers/sdk-test-server.ts. */
  origin: string;
  /** An address at which nothing listens. */
  closedOrigin: string;
  /** A valid signing secret, and another one. */
  secret: string;
  otherSecret: string;
};

/** By the name of each check, "ok" or what went wrong. */
export type Findings = Record<string, string>;

/** Runs the checks that hold on every runtime. They use the language, `fetch` and WebCrypto, like the SDK itself. */
export async function runChecks(surroundings: Surroundings): Promise<Findings> {
  const findings: Findings = {};
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check(surroundings);
      findings[name] = "ok";
    } catch (error) {
      findings[name] = error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
    }
  }
  return findings;
}

const SCHEDULE_ID = "sch_01kbm5qk4f8rz3c2x7w9v6n1ta";
const BODY = '{"order":42,"name":"Zoë"}';

const CHECKS: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  async "a schedule is created"({ apiKey, origin }) {
    const client = new Stopwatch(apiKey, { baseUrl: origin });
    const fireAt = new Date(Date.now() + 60_000);
    const created = await client.schedules.create({
      targetUrl: "https://example.com/hook",
      fireAt,
      json: { order: 42 },
    });
    equal(created.fire_at, fireAt.toISOString());
    equal(created.status, "scheduled");
    equal(created.replayed, false);
  },
  async "a call that is refused for now is sent again, with the same key"({ apiKey, origin }) {
    let retries = 0;
    const client = new Stopwatch(apiKey, { baseUrl: origin, onRetry: () => retries++ });
    const targetUrl = "https://example.com/busy-at-first";
    const created = await client.schedules.create({ targetUrl, fireIn: "1h" });
    equal([created.replayed, retries], [true, 1]);
  },
  async "a list is read page by page"({ apiKey, origin }) {
    const client = new Stopwatch(apiKey, { baseUrl: origin });
    const ids: string[] = [];
    for await (const { id } of client.schedules.list({ status: ["dead"] })) ids.push(id);
    equal(ids, ["sch_1", "sch_2", "sch_3"]);
  },
  async "many schedules are created in batches, from an asynchronous source"({ apiKey, origin }) {
    const sizes: number[] = [];
    const client = new Stopwatch(apiKey, {
      baseUrl: origin,
      async fetch(_url, { body = "{}" }) {
        const { schedules = [] } = JSON.parse(body) as { schedules?: unknown[] };
        sizes.push(schedules.length);
        const accepted = schedules.map((_, index) => ({ index, id: "sch_1" }));
        return Response.json({ limits: { bulk_items: 40 }, accepted, rejected: [] });
      },
    });
    async function* source() {
      for (let n = 0; n < 100; n++) yield { targetUrl: "https://example.com/hook", fireIn: "1h", json: { n } };
    }
    const { accepted } = await client.schedules.createMany(source());
    equal([accepted.length, accepted.at(-1)?.index, sizes.sort()], [100, 99, [0, 20, 40, 40]]);
  },
  async "an error of the service is a StopwatchError with its code, status and request id"({ apiKey, origin }) {
    const error = await rejection(new Stopwatch(apiKey, { baseUrl: origin }).me());
    equal(StopwatchError.is(error, "UNAUTHORIZED") && [error.status, error.requestId], [401, "req_1"]);
    equal([error instanceof StopwatchError, error instanceof Error], [true, true]);
  },
  async "an error of another copy of the package is known"({ otherSecret }) {
    const error = await rejection(signDelivery({ secret: otherSecret.slice(0, 9), body: "" }));
    equal([error instanceof StopwatchError, StopwatchError.is(error, "INVALID_ARGUMENT")], [false, true]);
  },
  async "an abort rejects with the signal's own reason"({ apiKey, origin }) {
    const controller = new AbortController();
    const reason = new Error("enough");
    const call = new Stopwatch(apiKey, { baseUrl: origin }).schedules.get(SCHEDULE_ID, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    equal((await rejection(call)) === reason, true);
  },
  async "a call that is not answered ends in time"({ apiKey, origin }) {
    const startedMs = Date.now();
    const error = await rejection(
      new Stopwatch(apiKey, { baseUrl: origin }).schedules.get(SCHEDULE_ID, { timeoutMs: 200 }),
    );
    equal(StopwatchError.is(error, "TIMEOUT"), true);
    equal(Date.now() - startedMs < 2_000, true);
  },
  async "a service that is away is a StopwatchError"({ apiKey, closedOrigin }) {
    const error = await rejection(new Stopwatch(apiKey, { baseUrl: closedOrigin, maxRetries: 0 }).usage());
    equal(StopwatchError.is(error, "NETWORK"), true);
  },
  async "a key that is none is refused at once, and not repeated"({ apiKey, origin }) {
    const wrong = `${apiKey.slice(0, -1)}!`;
    const error = thrown(() => new Stopwatch(wrong, { baseUrl: origin }));
    equal([StopwatchError.is(error, "INVALID_KEY"), String(error).includes(wrong)], [true, false]);
  },
  async "the signature of a Request is verified, and its body can be read"({ secret, otherSecret }) {
    const delivery = await verifySignature(await signed(secret), { secrets: [otherSecret, secret] });
    equal([delivery.scheduleId, delivery.secretIndex, delivery.json()], [SCHEDULE_ID, 1, JSON.parse(BODY)]);
  },
  async "the signature of headers and body is verified, and a forged one refused"({ secret, otherSecret }) {
    const headers = await signDelivery({ secret, body: BODY, scheduleId: SCHEDULE_ID });
    const { bytes, text } = await verifySignature(
      { headers, body: new TextEncoder().encode(BODY) },
      { secrets: [secret] },
    );
    equal([text(), bytes.length], [BODY, new TextEncoder().encode(BODY).length]);
    const forged = verifySignature({ headers, body: `${BODY} ` }, { secrets: [secret, otherSecret] });
    const error = await rejection(forged);
    equal(StopwatchError.is(error, "INVALID_SIGNATURE") && error.reason, "no_match");
  },
  async "the other signature is verified, too"({ secret }) {
    const headers = await signDelivery({ secret, body: BODY });
    const { secretIndex } = await verifyStripeStyle(
      { header: headers["X-Service-Signature"], body: BODY },
      { secrets: [secret] },
    );
    equal(secretIndex, 0);
  },
  async "a delivery is received once, and a forged one not at all"({ secret, otherSecret }) {
    const seen: string[] = [];
    const handle = receive({
      secrets: [secret],
      once: memoryOnce(),
      onDelivery: (delivery) => seen.push(delivery.text()),
    });
    const statuses = [];
    for (const by of [secret, secret, otherSecret]) statuses.push((await handle(await signed(by))).status);
    equal([statuses, seen], [[200, 200, 401], [BODY]]);
  },
  async "a receiver says when to come again, and that it is gone"({ secret }) {
    const handlerOf = (error: Error) => receive({ secrets: [secret], onDelivery: () => Promise.reject(error) });
    const later = await handlerOf(new RetryLater(90))(await signed(secret));
    equal([later.status, later.headers.get("retry-after")], [503, "90"]);
    equal((await handlerOf(new Gone())(await signed(secret))).status, 410);
  },
  async "the fake of the service delivers to a receiver, and again when it is told to"() {
    const fake = fakeStopwatch();
    const seen: unknown[] = [];
    fake.onDelivery = receive({
      secrets: fake.secrets,
      onDelivery({ unsigned, json }) {
        if (unsigned.attempt === 1) throw new RetryLater(60);
        seen.push(json());
      },
    });
    const client = new Stopwatch(fake.apiKey, fake.options);
    const targetUrl = "https://example.com/hook";
    const { id } = await client.schedules.create({ targetUrl, fireIn: "1h", json: { order: 42 } });
    await fake.advance("2h");
    const { status, attempts } = await client.schedules.get(id);
    equal([status, attempts, seen], ["succeeded", 2, [{ order: 42 }]]);
  },
};

async function signed(secret: string): Promise<Request> {
  const headers = await signDelivery({ secret, body: BODY, scheduleId: SCHEDULE_ID });
  return new Request("https://example.com/hook", { method: "POST", headers, body: BODY });
}

function equal(actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`it is ${is} and should be ${should}`);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it should have been rejected");
}

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("it should have thrown");
}
