import { describe, expect, test } from "vitest";
import { AnswerMemory } from "../../../../cli/src/listen/answer-memory.ts";
import { backOffMs } from "../../../../cli/src/listen/back-off.ts";
import { ClockWatch } from "../../../../cli/src/listen/clock-watch.ts";

describe("the wait before the next connection", () => {
  test("is spread from 250 ms to a bound that doubles up to 15 s", () => {
    const widest = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => backOffMs(failures, 1));
    expect(widest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    for (const failures of [0, 1, 7, 5_000]) expect(backOffMs(failures, 0)).toBe(250);
    expect(backOffMs(3, 0.5)).toBe(1_125);
  });

  test("is as long as the service asks, up to 15 s", () => {
    expect(backOffMs(1, 0, 3_000)).toBe(3_000);
    expect(backOffMs(1, 0, 3_600_000)).toBe(15_000);
  });
});

describe("a watch on the clock", () => {
  test("sees a sleep, a stop and a clock that was set, and nothing else", () => {
    const watch = new ClockWatch(100_000);
    expect([101_000, 116_000, 131_001, 131_002, 100_000, 101_000].map((now) => watch.look(now))).toEqual([
      undefined,
      undefined,
      15_001,
      undefined,
      -31_002,
      undefined,
    ]);
  });
});

describe("the memory of answers", () => {
  const answer = { status: 500, body: "x", latency_ms: 3 };

  test("lets an exchange begin once in ten minutes, and keeps its answer", () => {
    const memory = new AnswerMemory();
    expect(memory.begin("a", 0)).toBe(true);
    expect([memory.begin("a", 1), memory.answerTo("a")]).toEqual([false, undefined]);
    memory.keep("a", answer);
    expect([memory.begin("a", 599_999), memory.answerTo("a")]).toEqual([false, answer]);
    expect(memory.begin("b", 600_000)).toBe(true);
    expect([memory.answerTo("a"), memory.size]).toEqual([undefined, 1]);
  });

  test("keeps what matters within 16 MiB of bodies and 100,000 exchanges", () => {
    const memory = new AnswerMemory();
    const body = "x".repeat(8 * 1024);
    for (let id = 0; id < 3_000; id++) {
      memory.begin(String(id), id);
      memory.keep(String(id), { status: 200, body, latency_ms: id });
    }
    expect(memory.answerTo("0")).toEqual({ status: 200, latency_ms: 0 });
    expect(memory.answerTo("951")).toEqual({ status: 200, latency_ms: 951 });
    expect(memory.answerTo("952")).toEqual({ status: 200, body, latency_ms: 952 });
    for (let id = 3_000; id < 101_000; id++) memory.begin(String(id), 3_000);
    expect(memory.size).toBe(100_000);
  });

  test("takes no answer to an exchange that never came, or is forgotten", () => {
    const memory = new AnswerMemory();
    memory.keep("a", answer);
    expect([memory.answerTo("a"), memory.size]).toEqual([undefined, 0]);
  });
});
