import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type BulkEntry, type CreateInput, type FetchLike, Stopwatch } from "../../../sdk/src/index.ts";
import { bulkService } from "./bulk-service.ts";
import { type FakeService, hangUp, json, KEY, refusal, startFakeService } from "./fake-service.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => service.stop());

const item = (n: number | string, more: object = {}): CreateInput => ({
  targetUrl: `https://example.com/${n}`,
  fireIn: "1h",
  idempotencyKey: `key-${n}`,
  ...more,
});
const items = (count: number) => Array.from({ length: count }, (_, n) => item(n));
const createMany = (of: Parameters<typeof client.schedules.createMany>[0], options = {}) => {
  return service.client({ maxRetries: 1 }).schedules.createMany(of, options);
};
const client = { schedules: null as unknown as ReturnType<FakeService["client"]>["schedules"] };

describe("createMany", () => {
  test("splits by the plan's batch size, which it reads once, and returns each item in order with its key", async () => {
    const bulk = bulkService();
    service.answer(bulk.answer);
    const { schedules } = service.client();
    const { accepted, rejected, unknown } = await schedules.createMany([...items(7), item("refuse")]);
    expect(bulk.batches.map(({ length }) => length).toSorted()).toEqual([2, 3, 3]);
    expect(accepted.map(({ index, idempotencyKey, outcome }) => [index, idempotencyKey, outcome])).toEqual(
      items(7).map(({ idempotencyKey }, index) => [index, idempotencyKey, "accepted"]),
    );
    expect(accepted[6]).toMatchObject({
      id: bulk.stored.get("key-6"),
      fire_at: expect.any(String),
      status: "scheduled",
    });
    expect(rejected).toEqual([
      { outcome: "rejected", index: 7, idempotencyKey: "key-refuse", code: "VALIDATION", message: "no" },
    ]);
    expect(unknown).toEqual([]);
    await schedules.createMany(items(4));
    expect(service.requests.filter(({ url }) => url === "/v1/usage")).toHaveLength(1);
  });

  test("gives each item without a key one, and leaves the items as they are", async () => {
    const bulk = bulkService();
    service.answer(bulk.answer);
    const given = Object.freeze(item(0, { idempotencyKey: undefined, json: { n: 1 } }));
    const { accepted } = await createMany([given, given]);
    const [first, second] = accepted.map(({ idempotencyKey }) => idempotencyKey);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(bulk.batches[0]).toMatchObject([
      { payload: '{"n":1}', headers: { "Content-Type": "application/json" }, idempotencyKey: first },
      { idempotencyKey: second },
    ]);
  });

  test("splits by bytes of UTF-8, so that no batch has more than 4,000,000 unless one item alone does", async () => {
    const bulk = bulkService({ itemsMax: 500 });
    service.answer(bulk.answer);
    const big = Array.from({ length: 9 }, (_, n) => item(n, { payload: "é".repeat(n === 4 ? 2_500_000 : 600_000) }));
    const { accepted } = await createMany(big, { concurrency: 1 });
    expect(accepted.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(bulk.batches.map((batch) => batch.length)).toEqual([3, 1, 1, 3, 1]);
    expect(bulk.bytes.filter((bytes) => bytes > 4_000_000)).toHaveLength(1);
  });

  test("fills a batch to the last byte", async () => {
    const bulk = bulkService({ itemsMax: 500 });
    service.answer(bulk.answer);
    const body = (a: string, b: string) =>
      Buffer.byteLength(JSON.stringify({ schedules: [item(1, { payload: a }), item(2, { payload: b })] }));
    const rest = 4_000_000 - body("", "");
    const [a, b] = ["x".repeat(2_000_000), "y".repeat(rest - 2_000_000)];
    await createMany([item(1, { payload: a }), item(2, { payload: b })]);
    await createMany([item(1, { payload: a }), item(2, { payload: `${b}y` })], { concurrency: 1 });
    expect(bulk.bytes.slice(0, 1)).toEqual([4_000_000]);
    expect(bulk.batches.map(({ length }) => length)).toEqual([2, 1, 1]);
  });

  test("sends batches of 100 when the plan's batch size cannot be read, or of batchSize when it is given", async () => {
    const bulk = bulkService();
    const usage = refusal(404, "NOT_FOUND");
    service.answer((request, ...rest) => (request.url === "/v1/usage" ? usage : bulk.answer)(request, ...rest));
    await createMany(items(150));
    await createMany(items(5), { batchSize: 2 });
    expect(bulk.batches.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([100, 50, 2, 2, 1]);
  });

  test("sends as many batches at once as concurrency says, two by default", async () => {
    for (const [options, most] of [
      [{}, 2],
      [{ concurrency: 1 }, 1],
      [{ concurrency: 4 }, 4],
    ] as const) {
      const bulk = bulkService({ together: most });
      service.answer(bulk.answer);
      await createMany(items(24), options);
      expect(bulk.batches).toHaveLength(8);
      expect(bulk.mostWaiting()).toBe(most);
    }
  });

  test("does nothing without items", async () => {
    service.answer(bulkService().answer);
    expect(await createMany([])).toEqual({ accepted: [], rejected: [], unknown: [] });
    expect(service.requests.map(({ url }) => url)).toEqual(["/v1/usage"]);
  });

  test("takes generators, asynchronous ones and lists of promises", async () => {
    service.answer(bulkService().answer);
    function* some() {
      yield* items(4);
    }
    async function* later() {
      yield* items(4);
    }
    const promised = items(4).map((one) => Promise.resolve(one));
    for (const source of [some(), later(), promised as never]) {
      expect((await createMany(source)).accepted).toHaveLength(4);
    }
  });

  test("rejects an item that cannot be written on its own, and sends the others", async () => {
    const bulk = bulkService();
    service.answer(bulk.answer);
    const bad = [
      { targetUrl: "https://example.com", idempotencyKey: "no time" },
      item("two times", { fireAt: "2031-01-01T00:00:00Z" }),
      item("json", { json: 1n }),
      null,
      "text",
    ] as CreateInput[];
    const { accepted, rejected } = await createMany([item(0), ...bad, item(1)]);
    expect(accepted.map(({ index }) => index)).toEqual([0, 6]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [n, "INVALID_ARGUMENT"]),
    );
    expect(rejected[0]).toMatchObject({ idempotencyKey: "no time", message: expect.stringContaining("fireAt") });
    expect(bulk.batches).toHaveLength(1);
  });
});

describe("a batch without an answer", () => {
  test("is tried again as it is, so that nothing is stored twice", async () => {
    const bulk = bulkService({
      fault: (_items, call) => (call === 1 ? { answer: hangUp, isStored: true } : undefined),
    });
    service.answer(bulk.answer);
    const { accepted } = await createMany(items(3));
    expect(accepted).toMatchObject([{ replayed: true }, { replayed: true }, { replayed: true }]);
    expect(bulk.stored.size).toBe(3);
    const [first, second] = service.requests.filter(({ method }) => method === "POST");
    expect(second?.text).toBe(first?.text);
  });

  test.each([
    ["a closed connection", hangUp, "NETWORK"],
    ["503", refusal(503, "UNAVAILABLE"), "UNAVAILABLE"],
    ["a page", json(200, "<html>"), "BAD_RESPONSE"],
  ])(
    "after its retries (%s) makes its items unknown, with error and keys; to send them again is safe",
    async (_name, fault, code) => {
      const isFaulty = (sent: { idempotencyKey: string }[]) =>
        sent.some(({ idempotencyKey }) => idempotencyKey === "key-4");
      let isDown = true;
      const bulk = bulkService({
        fault: (sent) => (isDown && isFaulty(sent) ? { answer: fault, isStored: true } : undefined),
      });
      service.answer(bulk.answer);
      const { accepted, unknown } = await createMany(items(9));
      expect(accepted.map(({ index }) => index)).toEqual([0, 1, 2, 6, 7, 8]);
      expect(unknown).toMatchObject(
        [3, 4, 5].map((index) => ({ outcome: "unknown", index, idempotencyKey: `key-${index}`, error: { code } })),
      );
      isDown = false;
      const again = await createMany(unknown.map(({ index }) => items(9)[index] as CreateInput));
      expect(again.accepted).toMatchObject([{ replayed: true }, { replayed: true }, { replayed: true }]);
      expect(bulk.stored.size).toBe(9);
    },
  );

  test("whose answer names not all of its items makes the others unknown", async () => {
    const answer = json(200, { accepted: [{ index: 1, id: "sch_1" }], rejected: [], limits: { bulk_items: 10 } });
    service.answer(answer);
    const { accepted, unknown } = await createMany(items(3));
    expect(accepted).toMatchObject([{ index: 1, idempotencyKey: "key-1" }]);
    expect(unknown).toMatchObject([{ index: 0 }, { index: 2, error: { code: "BAD_RESPONSE" } }]);
    service.answer(json(200, { limits: { bulk_items: 10 } }));
    expect((await createMany(items(2))).unknown).toHaveLength(2);
  });
});

describe("a batch that is refused as a whole", () => {
  const answerOf = (status: number, body: object, headers = {}) => ({
    status,
    headers: new Headers(headers),
    text: async () => JSON.stringify(body),
  });

  test.each([
    [401, "UNAUTHORIZED"],
    [400, "VALIDATION"],
    [413, "PAYLOAD_TOO_LARGE"],
    [429, "RATE_LIMITED"],
  ])("with %i makes its items rejected with that code", async (status, code) => {
    service.answer(bulkService({ fault: () => ({ answer: refusal(status, code) }) }).answer);
    const { rejected } = await createMany(items(4));
    expect(rejected).toMatchObject(
      items(4).map(({ idempotencyKey }, index) => ({
        outcome: "rejected",
        index,
        idempotencyKey,
        code,
        message: `it is ${code}`,
      })),
    );
  });

  test("with RATE_LIMITED and Retry-After is sent again after that time, even when timeoutMs is shorter", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const startMs = performance.now();
    const sentAtMs: number[] = [];
    const limited = answerOf(429, { error: { code: "RATE_LIMITED", message: "no" } }, { "Retry-After": "1" });
    const accepted = [0, 1, 2].map((index) => ({ index, id: `sch_${index}` }));
    let last = answerOf(200, { accepted, rejected: [] });
    const fetch: FetchLike = async (url) => {
      if (url.endsWith("/v1/usage")) return answerOf(200, { limits: { bulk_items: 3 } });
      sentAtMs.push(performance.now() - startMs);
      return sentAtMs.length < 3 ? limited : last;
    };
    const { schedules } = new Stopwatch(KEY, { baseUrl: "https://stopwatch.example.com", fetch });
    const done = schedules.createMany(items(3), { timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await done).accepted).toHaveLength(3);
    expect(sentAtMs).toEqual([0, 1_000, 2_000]);
    const controller = new AbortController();
    last = limited;
    const aborted = schedules.createMany(items(1), { timeoutMs: 500, signal: controller.signal });
    await vi.advanceTimersByTimeAsync(999);
    expect(sentAtMs).toEqual([0, 1_000, 2_000, 2_000]);
    controller.abort("stop");
    await expect(aborted).rejects.toBe("stop");
  });

  test("after a try without an answer makes its items unknown, because the first try may have been carried out", async () => {
    const bulk = bulkService({
      fault: (_items, call) => ({ answer: call === 1 ? hangUp : refusal(401, "UNAUTHORIZED"), isStored: call === 1 }),
    });
    service.answer(bulk.answer);
    const { unknown } = await createMany(items(2));
    expect(unknown).toMatchObject([{ error: { code: "UNAUTHORIZED", attempts: 2 } }, {}]);
  });
});

describe("callbacks", () => {
  test("get each entry, and the progress after each batch; the returned lists stay empty", async () => {
    service.answer(bulkService().answer);
    const entries: BulkEntry[] = [];
    const progress: object[] = [];
    const result = await createMany([item("refuse"), ...items(4)], {
      onResult: (entry: BulkEntry) => entries.push(entry),
      onProgress: (counts: object) => progress.push(counts),
    });
    expect(result).toEqual({ accepted: [], rejected: [], unknown: [] });
    expect(entries.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect(entries.filter(({ outcome }) => outcome === "rejected")).toHaveLength(1);
    expect(progress).toHaveLength(2);
    expect(progress.at(-1)).toEqual({ accepted: 4, rejected: 1, unknown: 0 });
  });

  test("that throw end createMany with their error, after the batches in flight", async () => {
    for (const name of ["onResult", "onProgress"]) {
      const bulk = bulkService();
      service.answer(bulk.answer);
      const mine = new Error("mine");
      const end = vi.fn();
      function* source() {
        try {
          yield* items(60);
        } finally {
          end();
        }
      }
      const fail = () => {
        throw mine;
      };
      await expect(createMany(source(), { [name]: fail })).rejects.toBe(mine);
      expect(end).toHaveBeenCalledOnce();
      expect(bulk.batches.length).toBeLessThan(6);
    }
  });
});
