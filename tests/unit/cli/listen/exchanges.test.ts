import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import type { Answer } from "../../../../cli/src/listen/answer-memory.ts";
import { type Delivery, readDelivery } from "../../../../cli/src/listen/delivery.ts";
import { Exchanges, type Forwarded } from "../../../../cli/src/listen/exchanges.ts";
import { Stopwatch } from "../../../../sdk/src/index.ts";
import { type FakeListenService, startFakeListenService } from "../../../helpers/fake-listen-service.ts";
import { waitFor } from "../../../helpers/wait-for.ts";
import { waitByTurns } from "../../helpers/wait-by-turns.ts";

const OK: Answer = { status: 200, latency_ms: 3 };
let service: FakeListenService;

beforeEach(async () => {
  service = await startFakeListenService();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const delivery = (id: string): Delivery =>
  readDelivery({
    id,
    schedule_id: "sch_a",
    attempt: 1,
    deadline: new Date(Date.now() + 30_000).toISOString(),
    method: "POST",
    path: "/",
    headers: [],
    body: "",
  });

function start(deliver: (delivery: Delivery, signal: AbortSignal) => Promise<Answer> = async () => OK) {
  const forwarded: Forwarded[] = [];
  const errors: unknown[] = [];
  const came: string[] = [];
  const exchanges = new Exchanges({
    client: new Stopwatch(generateApiKey("test"), { baseUrl: service.url }),
    deliver(given, signal) {
      came.push(given.id);
      return deliver(given, signal);
    },
    onForwarded: (one) => void forwarded.push(one),
    onError: (error) => void errors.push(error),
  });
  return { exchanges, forwarded, errors, came };
}

describe("an exchange", () => {
  test("that comes again is answered again, and never forwarded again", async () => {
    const { exchanges, came } = start();
    expect(exchanges.take(delivery("a"), "lsn_1", Date.now())).toBe(true);
    await service.answer(0);
    expect(exchanges.take(delivery("a"), "lsn_2", Date.now())).toBe(false);
    await service.answer(1);
    expect(service.answers.map(({ id, body }) => [id, body])).toEqual([
      ["a", { listener: "lsn_1", ...OK }],
      ["a", { listener: "lsn_2", ...OK }],
    ]);
    expect(came).toEqual(["a"]);
  });

  test("that comes again while it is answered is answered once", async () => {
    const answer = Promise.withResolvers<Answer>();
    const { exchanges, forwarded, came } = start(() => answer.promise);
    expect([1, 2, 3].map(() => exchanges.take(delivery("a"), "lsn_1", Date.now()))).toEqual([true, false, false]);
    answer.resolve(OK);
    await waitFor("it is forwarded", () => forwarded.length === 1);
    expect([came, service.answers.length]).toEqual([["a"], 1]);
  });

  test("is answered once the service is there again, with the same answer", async () => {
    let calls = 0;
    service.replyToAnswers(() => ({ status: ++calls < 3 ? 503 : 204 }));
    const { exchanges, forwarded } = start();
    exchanges.take(delivery("a"), "lsn_1", Date.now());
    await waitFor("it is forwarded", () => forwarded.length === 1);
    expect(forwarded[0]).toMatchObject({ sent: "recorded", answer: OK });
    expect(service.answers.map(({ body }) => body)).toEqual(Array(3).fill({ listener: "lsn_1", ...OK }));
  });

  test.each([404, 409])("that the service has given up (%i) is told as too late", async (status) => {
    service.replyToAnswers(() => ({ status, body: { error: { code: "CONFLICT", message: "over" } } }));
    const { exchanges, forwarded } = start();
    exchanges.take(delivery("a"), "lsn_1", Date.now());
    await waitFor("it is forwarded", () => forwarded.length === 1);
    expect(forwarded[0]?.sent).toBe("too late");
  });

  test("whose answer is refused is told with the reason", async () => {
    const error = { code: "VALIDATION", message: "status: must be 100 to 599" };
    service.replyToAnswers(() => ({ status: 400, body: { error } }));
    const { exchanges, forwarded } = start();
    exchanges.take(delivery("a"), "lsn_1", Date.now());
    await waitFor("it is forwarded", () => forwarded.length === 1);
    expect(forwarded[0]?.sent).toEqual({ problem: expect.stringContaining("must be 100 to 599") });
  });

  test.each([401, 403])("whose key is refused (%i) ends it all", async (status) => {
    service.replyToAnswers(() => ({ status, body: { error: { code: "UNAUTHORIZED", message: "No" } } }));
    const { exchanges, errors } = start();
    exchanges.take(delivery("a"), "lsn_1", Date.now());
    await waitFor("it fails", () => errors.length === 1);
    expect(errors[0]).toMatchObject({ status });
  });

  test("that the service gives up ends at the local server too, without an answer", async () => {
    const { exchanges, forwarded } = start(
      (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ error: "gave up" }))),
    );
    exchanges.take(delivery("a"), "lsn_1", Date.now());
    exchanges.giveUp("a");
    await waitFor("it is told", () => forwarded.length === 1);
    expect([forwarded[0]?.sent, service.answers, exchanges.open]).toEqual(["too late", [], 0]);
  });

  test("that is past its deadline when it comes is not forwarded", () => {
    const { exchanges, came } = start();
    expect(exchanges.take(delivery("a"), "lsn_1", Date.now() + 33_000)).toBe(false);
    expect(came).toEqual([]);
  });

  test("under way gets its answer sent when the listener ends, within a bound", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answer = Promise.withResolvers<Answer>();
    const { exchanges, forwarded } = start(({ id }, signal) =>
      id === "fast"
        ? answer.promise
        : new Promise((resolve) => signal.addEventListener("abort", () => resolve({ error: "gave up" }))),
    );
    exchanges.take(delivery("fast"), "lsn_1", Date.now());
    exchanges.take(delivery("slow"), "lsn_1", Date.now());
    const drained = exchanges.drain(400);
    answer.resolve(OK);
    await waitByTurns("the fast one is told", () => forwarded.length === 1);
    await vi.advanceTimersByTimeAsync(399);
    expect(exchanges.open).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await drained).toBe(1);
    await waitByTurns("both are told", () => forwarded.length === 2);
    expect(forwarded.map(({ delivery, sent }) => [delivery.id, sent])).toEqual([
      ["fast", "recorded"],
      ["slow", { problem: "listen ended" }],
    ]);
    expect(service.answers.map(({ id }) => id)).toEqual(["fast"]);
    expect(await exchanges.drain(60_000)).toBe(0);
  });
});
