import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KeepAlive } from "#dispatcher/connections/keep-alive.ts";
import type { Connection } from "#dispatcher/delivery/connection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const connect = () => ({ answeredAtMs: Number.NaN, broken: false }) as Connection;

/** An origin, with what was decided of each connection that was answered: whether it may be used again. */
function start() {
  const keepAlive = new KeepAlive();
  const decided: boolean[] = [];
  return {
    keepAlive,
    decided,
    answer(connection = connect()) {
      keepAlive.rest(connection, performance.now(), (mayReuse) => decided.push(mayReuse));
      return connection;
    },
  };
}

it("connections of an origin that is not known rest, and one that stays open ends the rest of all", () => {
  const { answer, decided } = start();
  answer();
  vi.advanceTimersByTime(20);
  answer();
  expect(decided).toEqual([]);
  vi.advanceTimersByTime(6);
  expect(decided).toEqual([true, true]);
});

it("connections of an origin that keeps them open are free after a turn of the event loop", () => {
  const { answer, decided } = start();
  answer();
  vi.advanceTimersByTime(30);
  answer();
  expect(decided).toEqual([true]);
  vi.advanceTimersByTime(0);
  expect(decided).toEqual([true, true]);
});

it("where one was closed after its answer none is used again, and one at a time rests until one stays open", () => {
  const { keepAlive, answer, decided } = start();
  const first = answer();
  vi.advanceTimersByTime(20);
  keepAlive.closed(first, performance.now());
  answer();
  answer();
  expect(decided).toEqual([false, false]);
  vi.advanceTimersByTime(39);
  expect(decided).toEqual([false, false]);
  vi.advanceTimersByTime(2);
  expect(decided).toEqual([false, false, true]);
});

it("a connection whose close was not reported yet is not used again and proves nothing", () => {
  const { answer, decided } = start();
  const closed = answer();
  answer();
  Object.assign(closed, { broken: true });
  vi.advanceTimersByTime(26);
  expect(decided).toEqual([false, true]);
});

it("an origin that closes idle connections later than 100 ms after an answer counts as one that keeps them open", () => {
  const { keepAlive, answer, decided } = start();
  const idle = answer();
  vi.advanceTimersByTime(130);
  keepAlive.closed(idle, performance.now());
  answer();
  vi.advanceTimersByTime(0);
  expect(decided).toEqual([true, true]);
});
