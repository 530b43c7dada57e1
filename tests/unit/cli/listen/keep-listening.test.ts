import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { startProxy } from "#scripts/lab/proxy.ts";
import type { Delivery } from "../../../../cli/src/listen/delivery.ts";
import { EventReader } from "../../../../cli/src/listen/event-reader.ts";
import { keepListening } from "../../../../cli/src/listen/keep-listening.ts";
import { type FakeListenService, startFakeListenService } from "../../../helpers/fake-listen-service.ts";
import { waitFor } from "../../../helpers/wait-for.ts";
import { waitByTurns } from "../../helpers/wait-by-turns.ts";

const KEY = generateApiKey("test");
let service: FakeListenService;
let stop: AbortController;

beforeEach(async () => {
  service = await startFakeListenService();
  stop = new AbortController();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  stop.abort();
  await service.close();
});

function listen({ url = service.url, silenceMs = 10_000, paths = [] as string[] } = {}) {
  const seen = {
    ready: [] as [string, boolean][],
    lost: [] as string[],
    waits: [] as number[],
    deliveries: [] as Delivery[],
    over: [] as string[],
  };
  const ended = keepListening(
    { url, key: KEY, userAgent: "test", scope: "reserved", paths, silenceMs },
    {
      onReady: ({ listener }, isResumed) => void seen.ready.push([listener, isResumed]),
      onLost(why, waitMs) {
        seen.lost.push(why);
        seen.waits.push(waitMs);
      },
      onDelivery: (delivery) => void seen.deliveries.push(delivery),
      onOver: (id) => void seen.over.push(id),
    },
    stop.signal,
  );
  ended.catch(() => {});
  return { ...seen, ended };
}

describe("a listener", () => {
  test("asks for its scope and paths with its key, and is ready only once the service says so", async () => {
    const seen = listen({ paths: ["/hooks/", "/a&b"] });
    const stream = await service.stream(0);
    expect([...stream.query]).toEqual([
      ["scope", "reserved"],
      ["path", "/hooks/"],
      ["path", "/a&b"],
    ]);
    expect(stream.headers).toMatchObject({ authorization: `Bearer ${KEY}`, accept: "text/event-stream" });
    stream.beat();
    stream.deliver({ id: "early" });
    stream.ready("lsn_a");
    stream.deliver({ id: "exc_a", body: Buffer.from([0, 255, 10, 13]).toString("base64") });
    stream.over("exc_a");
    await waitFor("the exchange is over", () => seen.over.length > 0);
    expect(seen.ready).toEqual([["lsn_a", false]]);
    expect(seen.deliveries).toMatchObject([{ id: "exc_a", body: Buffer.from([0, 255, 10, 13]) }]);
  });

  test.each([
    ["restart", "the service restarts"],
    ["age", "has reached its age"],
    ["later", "ended it (later)"],
  ])("comes back as itself after a goodbye for %s, and says why", async (reason, words) => {
    const seen = listen();
    const first = await service.stream(0);
    first.ready("lsn_a");
    first.goodbye(reason, 0);
    const second = await service.stream(1);
    expect(second.query.get("listener")).toBe("lsn_a");
    second.ready();
    await waitFor("it is ready again", () => seen.ready.length === 2);
    expect(seen.ready[1]).toEqual(["lsn_a", true]);
    expect(seen.lost).toEqual([expect.stringContaining(words)]);
  });

  test("comes back as another one when it was replaced, or is forgotten", async () => {
    const seen = listen();
    const first = await service.stream(0);
    first.ready("lsn_a");
    first.goodbye("replaced", 0);
    const second = await service.stream(1);
    expect(second.query.get("listener")).toBeNull();
    second.ready("lsn_b");
    await waitFor("it is ready again", () => seen.ready.length === 2);
    service.refuse({ status: 404, code: "NOT_FOUND", message: "No such listener" });
    second.cut();
    await waitFor("it was refused", () => seen.lost.length === 3);
    service.refuse();
    expect((await service.stream(2)).query.get("listener")).toBeNull();
  });

  test("waits as long as a goodbye or a refusal asks for", async () => {
    const seen = listen();
    const stream = await service.stream(0);
    stream.ready();
    service.refuse({ status: 503, code: "UNAVAILABLE", message: "Too many streams", headers: { "Retry-After": "2" } });
    stream.goodbye("restart", 600);
    await waitFor("it was refused", () => seen.lost.length === 2);
    expect(seen.lost[1]).toBe("the service says: Too many streams (UNAVAILABLE)");
    expect(seen.waits[0]).toBe(600);
    expect(seen.waits[1]).toBe(2_000);
  });

  test("waits longer each time that its streams end right after they began", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    try {
      const seen = listen();
      for (const nth of [0, 1, 2]) {
        const stream = await service.stream(nth);
        stream.ready();
        stream.raw("event: delivery\ndata: {}\n\n");
      }
      await waitFor("the third one has ended", () => seen.waits.length === 3);
      expect(seen.waits).toEqual([500, 1_000, 2_000]);
    } finally {
      random.mockRestore();
    }
  });

  test("takes no event that was cut, and says that the connection broke", async () => {
    const seen = listen();
    const stream = await service.stream(0);
    stream.ready("lsn_a");
    stream.raw(`event: over\ndata: {"id":"exc_a"}\n`);
    await waitFor("it is ready", () => seen.ready.length === 1);
    stream.cut();
    (await service.stream(1)).ready();
    expect(seen.over).toEqual([]);
    expect(seen.lost).toEqual([expect.stringContaining("the connection broke")]);
  });

  test("opens another connection when one is silent, though both ends stay open", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const proxy = await startProxy(service.port);
    try {
      const seen = listen({ url: `http://127.0.0.1:${proxy.port}`, silenceMs: 700 });
      await waitByTurns("a stream is open", () => service.streams.length === 1);
      service.streams[0]?.ready();
      await waitByTurns("it is ready", () => seen.ready.length === 1);
      proxy.set("black hole");
      proxy.set("pass");
      await vi.advanceTimersByTimeAsync(699);
      expect(seen.lost).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      await waitByTurns("another stream is open", () => service.streams.length === 2);
      expect(seen.lost).toEqual(["nothing came for 1 s, not even a sign of life"]);
      service.streams[1]?.ready();
      await waitByTurns("it is ready again", () => seen.ready.length === 2);
    } finally {
      stop.abort();
      await proxy.close();
    }
  });

  test("keeps a connection on which only comments come, as long as they come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const take = vi.spyOn(EventReader.prototype, "take");
    const beatsRead = () =>
      Buffer.concat(take.mock.calls.map(([chunk]) => chunk))
        .toString()
        .split(": beat\n\n").length - 1;
    const seen = listen({ silenceMs: 700 });
    await waitByTurns("a stream is open", () => service.streams.length === 1);
    const [stream] = service.streams;
    stream?.ready();
    await waitByTurns("it is ready", () => seen.ready.length === 1);
    for (let beats = 1; beats <= 5; beats++) {
      await vi.advanceTimersByTimeAsync(699);
      stream?.beat();
      await waitByTurns("the beat is read", () => beatsRead() === beats);
    }
    await vi.advanceTimersByTimeAsync(699);
    expect([seen.lost, stream?.isClosed()]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(1);
    await waitByTurns("it is lost", () => seen.lost.length === 1);
    expect(seen.lost).toEqual(["nothing came for 1 s, not even a sign of life"]);
  });

  test("opens another connection when the clock jumps, and takes nothing that waited in the former", async () => {
    let nowMs = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
    const seen = listen();
    const stream = await service.stream(0);
    stream.ready();
    await waitFor("it is ready", () => seen.ready.length === 1);
    nowMs += 62_000;
    stream.deliver();
    (await service.stream(1)).ready();
    await waitFor("it is ready again", () => seen.ready.length === 2);
    expect(seen.lost).toEqual(["the clock jumped by 62 s: this machine slept, or the process was stopped"]);
    expect(seen.deliveries).toEqual([]);
  });

  test.each([
    [401, "UNAUTHORIZED"],
    [403, "FORBIDDEN"],
    [400, "VALIDATION"],
    [404, "NOT_FOUND"],
  ])("ends when the service answers %i", async (status, code) => {
    service.refuse({ status, code, message: "No", headers: { "X-Request-Id": "req_1" } });
    await expect(listen().ended).rejects.toMatchObject({ code, status, message: "No", requestId: "req_1" });
  });

  test("ends when its key is revoked while it listens", async () => {
    const seen = listen();
    const stream = await service.stream(0);
    stream.ready();
    stream.goodbye("revoked", 0);
    await expect(seen.ended).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining("revoked"),
    });
    expect(service.streams).toHaveLength(1);
  });

  test.each([
    [409, "CONFLICT"],
    [429, "RATE_LIMITED"],
    [500, "INTERNAL"],
  ])("tries again after %i, with the service's own words", async (status, code) => {
    service.refuse({ status, code, message: "Not now" });
    const seen = listen();
    await waitFor("it was refused", () => seen.lost.length === 1);
    service.refuse();
    (await service.stream(0)).ready();
    await waitFor("it is ready", () => seen.ready.length === 1);
    expect(seen.lost[0]).toBe(`the service says: Not now (${code})`);
  });

  test("says that the service cannot be reached, and why, as long as that is so", async () => {
    const seen = listen({ url: "http://127.0.0.1:1" });
    await waitFor("it tried twice", () => seen.lost.length === 2);
    expect(seen.lost[0]).toBe("http://127.0.0.1:1 cannot be reached (ECONNREFUSED)");
    expect(seen.ready).toEqual([]);
  });

  test.each([
    ["no JSON", "event: ready\ndata: x\n\n"],
    ["no delivery", 'event: delivery\ndata: {"id":"exc_a"}\n\n'],
    ["no UTF-8", Buffer.from([0x64, 0xff, 0x0a])],
  ])("opens another connection when what comes is %s", async (_what, bytes) => {
    const seen = listen();
    const stream = await service.stream(0);
    stream.ready();
    stream.raw(bytes);
    await service.stream(1);
    expect(seen.lost).toEqual([expect.stringContaining("what came cannot be read")]);
  });
});
