import { describe, expect, it, vi } from "vitest";
import { parseApiKey } from "#domain/api-key.ts";
import { Stopwatch } from "../../../sdk/src/index.ts";
import { RetryLater, receive } from "../../../sdk/src/receive.ts";
import { type FakeOptions, fakeStopwatch } from "../../../sdk/src/testing.ts";

const NOW = "2031-01-01T00:00:00.000Z";
const TARGET = { targetUrl: "https://example.com/hook" };

function start(options: FakeOptions = {}) {
  const fake = fakeStopwatch({ now: NOW, ...options });
  return { fake, client: new Stopwatch(fake.apiKey, { ...fake.options, maxRetries: 0 }) };
}

const instant = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

/** Each attempt: when it was made, in seconds from the start, and the status that it led to. */
const seen = (attempts: readonly { at: Date; outcome: string }[]) =>
  attempts.map(({ at, outcome }) => [(at.getTime() - Date.parse(NOW)) / 1_000, outcome]);

describe("the clock of the fake", () => {
  it("moves by advance alone, and each attempt is made at its instant", async () => {
    const { fake, client } = start();
    const made = await client.schedules.create({ ...TARGET, fireIn: "30m" });
    expect(made.fire_at).toBe(instant(1_800_000));
    expect(await fake.advance("29m59.999s")).toEqual([]);
    expect(seen(await fake.advance("1s"))).toEqual([[1_800, "succeeded"]]);
    expect(fake.now().toISOString()).toBe(instant(1_800_999));
    expect(await client.schedules.get(made.id)).toMatchObject({
      status: "succeeded",
      fired_at: instant(1_800_000),
      offset_ms: 0,
    });
  });

  it("stands still while schedules are fired; the next advance delivers them", async () => {
    const { fake, client } = start();
    const { id } = await client.schedules.create({ ...TARGET, fireIn: "1h" });
    const replay = await client.schedules.replay(id);
    expect(await client.schedules.fire(replay.id)).toMatchObject({
      status: "scheduled",
      fire_at: NOW,
      updated_at: NOW,
    });
    await client.schedules.fire(id);
    expect((await fake.advance()).map(({ scheduleId }) => scheduleId)).toEqual([id, replay.id]);
    expect(fake.now().toISOString()).toBe(NOW);
  });

  it("advances to an instant, and refuses to go back", async () => {
    const { fake } = start();
    await fake.advance("2031-01-01T01:00:00+01:00");
    expect(fake.now().toISOString()).toBe(NOW);
    await fake.advance(new Date("2031-01-01T02:00:00Z"));
    expect(fake.now().toISOString()).toBe("2031-01-01T02:00:00.000Z");
    for (const wrong of ["2031-01-01T01:00:00Z", "soon", "-1h", new Date(Number.NaN)])
      await expect(fake.advance(wrong)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("delivers what handlers schedule during an advance, too, in due order", async () => {
    const urls: string[] = [];
    const { fake, client } = start({
      async onDelivery({ url }) {
        urls.push(url);
        if (url.endsWith("/1")) await client.schedules.create({ targetUrl: "https://example.com/3", fireIn: "5m" });
        return new Response();
      },
    });
    await client.schedules.create({ targetUrl: "https://example.com/4", fireIn: "20m" });
    await client.schedules.create({ targetUrl: "https://example.com/1", fireIn: "10m" });
    await client.schedules.create({ targetUrl: "https://example.com/2", fireIn: "10m" });
    await fake.advance("1h");
    expect(urls.map((url) => url.slice(-1)).join("")).toBe("1234");
  });

  it("refuses to advance or reset during an advance, and stops a handler that schedules without end", async () => {
    const { fake, client } = start({ env: "live" });
    fake.onDelivery = async () => {
      await expect(fake.advance("1m")).rejects.toThrow("under way");
      expect(() => fake.reset()).toThrow("while the clock advances");
      return new Response();
    };
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    await fake.advance("1m");
    fake.onDelivery = async (request) => {
      await client.schedules.replay(request.headers.get("webhook-id") ?? "");
      return new Response();
    };
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    await expect(fake.advance("1m")).rejects.toThrow("does not end");
  });
});

describe("a target that fails", () => {
  it("is tried again by the account's rule until no retry is left", async () => {
    const { fake, client } = start({ onDelivery: () => new Response("no", { status: 500 }) });
    const { id } = await client.schedules.create({ ...TARGET, fireIn: "1m" });
    await fake.advance("1d");
    expect(seen(fake.deliveries)).toEqual([
      [60, "failed"],
      [90, "failed"],
      [150, "failed"],
      [270, "failed"],
      [510, "dead"],
    ]);
    expect(await client.schedules.get(id)).toMatchObject({ status: "dead", attempts: 5, next_attempt_at: null });
    const { items } = await client.schedules.attempts(id);
    expect(items.map(({ attempt, status_code, error_text }) => [attempt, status_code, error_text])).toEqual(
      [1, 2, 3, 4, 5].map((attempt) => [attempt, 500, "no"]),
    );
  });

  it.each([
    [{ retryAttempts: 2, retryStrategy: "linear" }, () => 0, [60, 90, 150]],
    [{ retryAttempts: 9, retryBackoffMs: 1, retryStrategy: "fixed" }, () => 0, [60, 61, 62, 63, 64]],
    [{ retryAttempts: 1 }, () => 1, [60, 97.5]],
  ] satisfies [FakeOptions["relaySettings"], () => number, number[]][])(
    "follows the relay settings, within the limits of the plan: %j",
    async (relaySettings, random, seconds) => {
      const { fake, client } = start({ relaySettings, random, onDelivery: () => new Response(null, { status: 404 }) });
      await client.schedules.create({ ...TARGET, fireIn: "1m" });
      expect(seen(await fake.advance("1d")).map(([at]) => at)).toEqual(seconds);
    },
  );

  it("is not tried again after 410, and later after Retry-After", async () => {
    const { fake, client } = start({ onDelivery: () => new Response(null, { status: 410 }) });
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    expect(seen(await fake.advance("1d"))).toEqual([[60, "dead"]]);
    fake.reset();
    const answers = [
      new Response(null, { status: 503, headers: { "Retry-After": "600" } }),
      new Response(null, { status: 429, headers: { "Retry-After": "Wed, 01 Jan 2031 00:30:00 GMT" } }),
      new Response(null, { status: 500, headers: { "Retry-After": "600" } }),
      new Response(null, { status: 503, headers: { "Retry-After": "86400" } }),
      new Response(),
    ];
    fake.onDelivery = () => answers.shift() as Response;
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    const waits = [60, 660, 1_800, 1_920, 1_920 + 240 + 7_200];
    expect(seen(await fake.advance("1d")).map(([at]) => at)).toEqual(waits);
  });

  it("may be a handler that throws: the attempt fails without an answer, and the error is reported", async () => {
    const onError = vi.fn();
    const thrown = new Error("out of paper");
    const { fake, client } = start({
      onError,
      onDelivery() {
        throw thrown;
      },
    });
    const { id } = await client.schedules.create({ ...TARGET, fireIn: "1m" });
    const [delivery] = await fake.advance("1m");
    expect(delivery).toMatchObject({ status: null, error: thrown, outcome: "failed" });
    expect(onError).toHaveBeenCalledExactlyOnceWith(thrown, delivery);
    const { items } = await client.schedules.attempts(id);
    expect(items).toMatchObject([{ status_code: null, error_text: "the handler threw Error: out of paper" }]);
    fake.onDelivery = () => Response.error();
    expect(await fake.advance("30s")).toMatchObject([{ status: null, error: undefined, outcome: "failed" }]);
    fake.onDelivery = (() => ({ status: 200 })) as never;
    expect(await fake.advance("1m")).toMatchObject([{ status: null, error: expect.any(TypeError), outcome: "failed" }]);
  });

  it("is judged by its status, also when the body of its answer breaks off", async () => {
    const broken = () =>
      new ReadableStream({
        pull(controller) {
          controller.error(new Error("broken"));
        },
      });
    const { fake, client } = start({ onDelivery: () => new Response(broken(), { status: 410 }) });
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    expect(await fake.advance("1m")).toMatchObject([{ status: 410, error: undefined, outcome: "dead" }]);
  });
});

describe("a delivery of the fake", () => {
  it("is the request that was scheduled, signed so that receive takes it, whatever the clock shows", async () => {
    const onDelivery = vi.fn();
    const { fake, client } = start();
    fake.onDelivery = receive({ secrets: fake.secrets, onDelivery });
    const headers = { "X-Tenant": "a" };
    const { id } = await client.schedules.create({ ...TARGET, method: "PUT", headers, json: { n: 1 }, fireIn: "40d" });
    const [delivery] = await fake.advance("40d");
    expect(delivery).toMatchObject({ status: 200, method: "PUT", url: "https://example.com/hook", body: '{"n":1}' });
    expect(delivery?.headers).toMatchObject({ "x-tenant": "a", "content-type": "application/json" });
    const [received] = onDelivery.mock.calls[0] ?? [];
    expect(received).toMatchObject({ scheduleId: id, secretIndex: 0 });
    expect(received.json()).toEqual({ n: 1 });
    expect(received.unsigned).toEqual({ attempt: 1, fireAt: fake.now() });
  });

  it("is signed by the former secret too, for a day after a rotation", async () => {
    const { fake, client } = start();
    const [former = "", next = ""] = fake.secrets;
    await client.signingSecrets.rotate();
    expect(fake.secrets[0]).toBe(next);
    const secretsThatFit = async () => {
      const fits: boolean[] = [];
      for (const secret of [former, next]) {
        fake.onDelivery = receive({ secrets: [secret], onDelivery: () => {} });
        await client.schedules.create({ ...TARGET, fireIn: "1s" });
        const [delivery] = await fake.advance("1s");
        fits.push(delivery?.status === 200);
      }
      return fits;
    };
    expect(await secretsThatFit()).toEqual([true, true]);
    await fake.advance("1d");
    expect(await secretsThatFit()).toEqual([false, true]);
  });

  it("is firing while its handler runs, which cannot cancel it", async () => {
    const { fake, client } = start();
    fake.onDelivery = async (request) => {
      const id = request.headers.get("webhook-id") ?? "";
      expect(await client.schedules.get(id)).toMatchObject({ status: "firing", attempts: 1, next_attempt_at: null });
      await expect(client.schedules.cancel(id)).rejects.toMatchObject({ code: "CONFLICT", retryAfterMs: 35_000 });
      return new Response();
    };
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    expect(await fake.advance("1m")).toMatchObject([{ outcome: "succeeded", error: undefined }]);
  });

  it("works with RetryLater of receive", async () => {
    const { fake, client } = start();
    fake.onDelivery = receive({
      secrets: fake.secrets,
      onDelivery({ unsigned }) {
        if (unsigned.attempt === 1) throw new RetryLater(3_600);
      },
    });
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    expect(seen(await fake.advance("1d"))).toEqual([
      [60, "failed"],
      [3_660, "succeeded"],
    ]);
  });
});

describe("the account of the fake", () => {
  it("has a well-formed key, and the same ids and secrets in every run", async () => {
    for (const env of ["live", "test"] as const) {
      const [one, two] = [start({ env }), start({ env })];
      expect(parseApiKey(one.fake.apiKey)).toEqual({ env });
      expect(one.client.env).toBe(env);
      expect(one.fake.secrets).toEqual(two.fake.secrets);
      const create = (client: Stopwatch) => client.schedules.create({ ...TARGET, fireIn: "1m" });
      expect(await create(one.client)).toEqual(await create(two.client));
    }
  });

  it("ignores a call that was aborted", async () => {
    const { fake, client } = start();
    const reason = new Error("not any more");
    const init = { method: "POST", body: "{}", signal: AbortSignal.abort(reason) };
    await expect(fake.fetch(`${fake.baseUrl}/v1/schedules`, init)).rejects.toBe(reason);
    expect((await client.schedules.list()).total).toBe(0);
  });

  it("refuses any other key", async () => {
    const { fake } = start();
    const client = new Stopwatch(fakeStopwatch({ env: "live" }).apiKey, { ...fake.options, maxRetries: 0 });
    await expect(client.usage()).rejects.toMatchObject({ code: "UNAUTHORIZED", status: 401 });
  });

  it("has the plan's quota, of which a part may be used", async () => {
    const { client } = start({ env: "live", scheduled: 2_199 });
    expect(await client.schedules.create({ ...TARGET, fireIn: "1m" })).toMatchObject({ over_limit: true });
    await expect(client.schedules.create({ ...TARGET, fireIn: "1m" })).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
      status: 402,
    });
    expect(await client.usage()).toMatchObject({
      scheduled: 2_200,
      limit: 2_000,
      grace_limit: 2_200,
      over_limit: true,
    });
  });

  it("keeps contents for the plan's retention, and schedules for its days", async () => {
    const { fake, client } = start();
    const { id } = await client.schedules.create({ ...TARGET, payload: "hello", fireIn: "1m", idempotencyKey: "k" });
    await fake.advance("7d");
    expect(await client.schedules.replay(id)).toMatchObject({ replayed: false });
    await fake.advance("1d");
    expect(await client.schedules.get(id)).toMatchObject({ has_payload: false, payload_size_bytes: 0 });
    expect((await client.schedules.attempts(id)).items).toEqual([]);
    await expect(client.schedules.replay(id)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await client.schedules.clone(id, { payload: "new", headers: {} })).toMatchObject({ replayed: false });
    await fake.advance("83d");
    await expect(client.schedules.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const again = await client.schedules.create({ ...TARGET, fireIn: "1m", idempotencyKey: "k" });
    expect(again).toMatchObject({ replayed: false });
  });

  it.each([
    { env: "prod" },
    { plan: "pro" },
    { now: "today" },
    { scheduled: -1 },
    { relaySettings: { retryStrategy: "random" } },
    { relaySettings: { retryAttempts: "4" } },
    { allowedTargets: ["http://"] },
  ])("refuses invalid options: %j", (options) => {
    expect(() => fakeStopwatch(options as FakeOptions)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  it("is emptied by reset, which also sets the clock back to its start", async () => {
    const { fake, client } = start();
    await client.schedules.create({ ...TARGET, fireIn: "1m" });
    await fake.advance("1h");
    fake.reset();
    expect(fake.now().toISOString()).toBe(NOW);
    expect(fake.deliveries).toEqual([]);
    expect((await client.schedules.list()).total).toBe(0);
  });

  it("accepts the targets in allowedTargets, which only an operator could allow", async () => {
    const { client } = start({ allowedTargets: ["http://localhost:3000", "localhost:8443"] });
    const create = (targetUrl: string) => client.schedules.create({ targetUrl, fireIn: "1m" });
    for (const origin of ["http://localhost:3000", "https://localhost:8443"])
      expect(await create(`${origin}/hook`)).toMatchObject({ status: "scheduled" });
    await expect(create("http://localhost:3001/hook")).rejects.toMatchObject({
      details: [{ path: "targetUrl", message: "must be an https:// URL" }],
    });
  });
});
