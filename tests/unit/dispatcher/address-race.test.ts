import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectToOneOf, type FurtherSockets, NoneConnected, TimedOut } from "#dispatcher/connections/address-race.ts";

const DEADLINE_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class FakeSocket extends EventEmitter {
  destroyed = false;
  destroy() {
    this.destroyed = true;
    return this;
  }
}

/** A race for these addresses. Their sockets are connected or fail when the test says so. `capacity`: for further sockets. */
function start(addresses: string[], capacity = Number.POSITIVE_INFINITY) {
  const sockets = new Map<string, FakeSocket>();
  const counted = { now: 0, most: 0 };
  const further: FurtherSockets = {
    begin() {
      if (counted.now >= capacity) return false;
      counted.now++;
      counted.most = Math.max(counted.most, counted.now);
      return true;
    },
    end: () => void counted.now--,
  };
  const connect = (address: string) => {
    const socket = new FakeSocket();
    sockets.set(address, socket);
    return socket as unknown as Socket;
  };
  const outcomes: unknown[] = [];
  const over = connectToOneOf(addresses, { connect, further, deadlineMs: DEADLINE_MS }).then(
    (won) => outcomes.push(won),
    (error) => outcomes.push(error),
  );
  return {
    outcomes,
    over,
    counted,
    /** The addresses that were tried, in their order. */
    tried: () => [...sockets.keys()],
    open: () => [...sockets].filter(([, { destroyed }]) => !destroyed).map(([address]) => address),
    socket: (address: string) => sockets.get(address) as FakeSocket,
    fail: (address: string, code: string) =>
      sockets.get(address)?.emit("error", Object.assign(new Error(code), { code })),
    async connected(address: string) {
      sockets.get(address)?.emit("connect");
      await over;
    },
  };
}

describe("the addresses of a target", () => {
  it("are tried side by side, each a quarter of a second after the one before", async () => {
    const { tried, open } = start(["a", "b", "c"]);
    expect(tried()).toEqual(["a"]);
    vi.advanceTimersByTime(249);
    expect(tried()).toEqual(["a"]);
    vi.advanceTimersByTime(1);
    expect(tried()).toEqual(["a", "b"]);
    vi.advanceTimersByTime(250);
    expect(open()).toEqual(["a", "b", "c"]);
  });

  it("are tried at once when a try has failed, and the next one a quarter of a second later", async () => {
    const { tried, fail } = start(["a", "b", "c", "d"]);
    vi.advanceTimersByTime(100);
    fail("a", "ECONNREFUSED");
    expect(tried()).toEqual(["a", "b"]);
    vi.advanceTimersByTime(249);
    expect(tried()).toEqual(["a", "b"]);
    vi.advanceTimersByTime(1);
    expect(tried()).toEqual(["a", "b", "c"]);
    fail("b", "ECONNREFUSED");
    expect(tried()).toEqual(["a", "b", "c", "d"]);
  });

  it("go on being tried until the deadline, and the first that connects wins, whichever it is", async () => {
    const { connected, outcomes, socket, open, counted } = start(["a", "b", "c"]);
    vi.advanceTimersByTime(DEADLINE_MS - 1);
    expect(open()).toEqual(["a", "b", "c"]);
    await connected("a");
    expect(outcomes).toEqual([expect.objectContaining({ socket: socket("a") })]);
    expect(open()).toEqual(["a"]);
    expect(counted).toEqual({ now: 0, most: 2 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that lose end nothing when they fail or connect later", async () => {
    const { connected, outcomes, socket } = start(["a", "b"]);
    vi.advanceTimersByTime(250);
    await connected("b");
    socket("a").emit("error", new Error("late"));
    socket("a").emit("connect");
    expect(outcomes).toHaveLength(1);
    expect(socket("b").destroyed).toBe(false);
    expect(["connect", "error"].map((event) => socket("b").listenerCount(event))).toEqual([0, 0]);
  });

  it("measure their own round trip, not the wait before it", async () => {
    const { connected, outcomes } = start(["a", "b"]);
    vi.advanceTimersByTime(250 + 40);
    await connected("b");
    expect(outcomes).toEqual([expect.objectContaining({ roundTripMs: 40 })]);
  });
});

describe("a target without an address that connects", () => {
  it("fails as soon as the last try has failed, and says why of each address, in their order", async () => {
    const { fail, outcomes, over, counted, tried } = start(["a", "b"]);
    vi.advanceTimersByTime(250);
    fail("b", "ECONNREFUSED");
    expect(tried()).toEqual(["a", "b"]);
    fail("a", "ENETUNREACH");
    await over;
    const [error] = outcomes as [NoneConnected];
    expect(error).toBeInstanceOf(NoneConnected);
    expect(error.failures).toMatchObject([
      { address: "a", error: { code: "ENETUNREACH" } },
      { address: "b", error: { code: "ECONNREFUSED" } },
    ]);
    expect(counted.now).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fails at the deadline when tries hang, and closes them", async () => {
    const { fail, outcomes, over, counted, open } = start(["a", "b", "c"]);
    vi.advanceTimersByTime(500);
    fail("b", "ECONNREFUSED");
    vi.advanceTimersByTime(DEADLINE_MS);
    await over;
    const [{ failures }] = outcomes as [NoneConnected];
    expect(failures.map(({ address }) => address)).toEqual(["a", "b", "c"]);
    expect(failures.map(({ error }) => error instanceof TimedOut)).toEqual([true, false, true]);
    expect([open(), counted.now]).toEqual([[], 0]);
  });
});

describe("further sockets", () => {
  it("are counted while they are open, beyond the first", async () => {
    const { fail, counted, tried } = start(["a", "b", "c"]);
    expect(counted.now).toBe(0);
    vi.advanceTimersByTime(250);
    expect(counted.now).toBe(1);
    fail("a", "ECONNREFUSED");
    expect([tried().length, counted.now]).toEqual([3, 1]);
    fail("b", "ECONNREFUSED");
    expect(counted.now).toBe(0);
  });

  it("for which there is no capacity wait until a try has failed, or until there is capacity", async () => {
    const { fail, tried, counted } = start(["a", "b", "c"], 0);
    vi.advanceTimersByTime(2_000);
    expect(tried()).toEqual(["a"]);
    fail("a", "ECONNREFUSED");
    expect(tried()).toEqual(["a", "b"]);
    counted.now = -1;
    vi.advanceTimersByTime(250);
    expect(tried()).toEqual(["a", "b", "c"]);
  });
});
