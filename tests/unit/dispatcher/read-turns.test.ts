import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Reader, ReadTurns } from "#dispatcher/connections/read-turns.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Turns with a clock of their own, on which what is read takes time: so many times what it takes of the CPU. */
function start(waiting = 1) {
  let nowMs = 1_000;
  let cpuMs = 50;
  /** The names of readers, one for each slice, and "|" where the event loop went round. */
  const order: string[] = [];
  return {
    turns: new ReadTurns(
      () => nowMs,
      () => cpuMs,
    ),
    order,
    read: () => order.filter((name) => name !== "|"),
    /** A reader that has so many slices, each of which takes `sliceMs`. */
    reader(name: string, slices: number, sliceMs: number, accountId = name): Reader {
      let left = slices;
      return {
        accountId,
        readSlice() {
          order.push(name);
          nowMs += sliceMs * waiting;
          cpuMs += sliceMs;
          return --left > 0;
        },
      };
    },
    async goRound(times = 1) {
      for (let n = 0; n < times; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push("|");
      }
    },
    pass(ms: number) {
      nowMs += ms;
      vi.advanceTimersByTime(ms);
    },
  };
}

it("what arrives alone is read at once, all of it in one turn while there is time", async () => {
  const { turns, reader, order, goRound } = start();
  turns.ask(reader("a", 3, 1));
  expect(order).toEqual(["a"]);
  await goRound();
  expect(order).toEqual(["a", "a", "a", "|"]);
});

it("after two milliseconds by the clock and two of the CPU, however long the process waits for one, other work goes before more is read", async () => {
  for (const [sliceMs, waiting, inATurn] of [
    [0.125, 1, 32],
    [0.125, 100, 17],
    [2, 1, 2],
    [5, 1, 2],
  ] as const) {
    const { turns, reader, order, goRound } = start(waiting);
    turns.ask(reader("a", 1_000, sliceMs));
    await goRound(3);
    // The first part is what is read when it is asked for, and in the round that follows.
    expect(order.join("").split("|").slice(1, 3)).toEqual(["a".repeat(inATurn), "a".repeat(inATurn)]);
  }
});

it("accounts are read in turns, however many connections one has", async () => {
  const { turns, reader, order, goRound } = start();
  for (const name of ["a1", "a2", "a3", "a4"]) turns.ask(reader(name, 1, 1, "a"));
  turns.ask(reader("b", 1, 1));
  await goRound(3);
  expect(order.indexOf("b")).toBeLessThan(3);
});

it("an account whose slices take long is passed over until others had as much time", async () => {
  const { turns, reader, order, goRound } = start();
  turns.ask(reader("slow", 20, 2));
  turns.ask(reader("quick", 40, 0.1));
  await goRound(12);
  const meanwhile = order.slice(0, order.lastIndexOf("quick"));
  expect(meanwhile.filter((name) => name === "slow").length).toBeLessThanOrEqual(4);
});

it("an account that was charged waits twenty times as long, and no other does", async () => {
  const { turns, reader, read, goRound, pass } = start();
  turns.ask(reader("a", 1, 1));
  turns.charge("a", 10);
  turns.ask(reader("a", 1, 1));
  turns.ask(reader("b", 1, 1));
  await goRound(3);
  expect(read()).toEqual(["a", "b"]);
  pass(150);
  await goRound(2);
  expect(read()).toEqual(["a", "b"]);
  pass(50);
  await goRound(2);
  expect(read()).toEqual(["a", "b", "a"]);
});

it("charges add up", async () => {
  const { turns, reader, read, goRound, pass } = start();
  turns.charge("a", 5);
  turns.charge("a", 5);
  turns.ask(reader("a", 1, 1));
  pass(110);
  await goRound();
  expect(read()).toEqual([]);
  pass(110);
  await goRound();
  expect(read()).toEqual(["a"]);
});
