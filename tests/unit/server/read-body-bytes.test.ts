import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyMemory } from "#server/http/body-memory.ts";
import { readBodyBytes } from "#server/http/read-body-bytes.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
let room: BodyMemory;

beforeEach(() => {
  vi.useFakeTimers();
  room = new BodyMemory("a");
});
afterEach(() => {
  room.release();
  vi.useRealTimers();
});

/**
 * A request whose body comes in chunks of `bytes` every `everyMs`, without end. `cancelled` is set once nobody reads
 * it.
 */
function dripping(bytes: number, everyMs: number) {
  const state = { cancelled: false };
  let timer: NodeJS.Timeout;
  const body = new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new Uint8Array(bytes)), everyMs);
    },
    cancel() {
      clearInterval(timer);
      state.cancelled = true;
    },
  });
  return { request: request(body), state };
}

function request(body: ReadableStream | string, headers: Record<string, string> = {}) {
  return new Request("http://x/", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

const late = { code: "VALIDATION", status: 408 };

describe("a body", () => {
  it.each<[string, number, number, number]>([
    ["it sends nothing", 0, 60_000, 30_000],
    ["it sends a byte every second", 1, 1_000, 30_000],
    ["it sends half of 64 KiB every second", 32 * KIB, 1_000, 60_000],
  ])("is cut off when its time is over: %s", async (_, bytes, everyMs, cutAfterMs) => {
    const { request, state } = dripping(bytes, everyMs);
    let outcome: unknown;
    readBodyBytes(request, 32 * MIB, room).catch((error) => {
      outcome = error;
    });
    await vi.advanceTimersByTimeAsync(cutAfterMs - 1_500);
    expect(outcome).toBeUndefined();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(outcome).toMatchObject(late);
    expect(state.cancelled).toBe(true);
  });

  it("that arrives at 64 KiB a second may take as long as it needs, however large it is", async () => {
    const { request } = dripping(64 * KIB, 1_000);
    const read = readBodyBytes(request, 4 * MIB, room);
    await vi.advanceTimersByTimeAsync(66_000);
    expect(await read).toBe("too large");
  });

  it("is refused before any of it is read when there is no room for its Content-Length", async () => {
    const other = new BodyMemory("a");
    other.reserve(32 * MIB);
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const refused = readBodyBytes(request(body, { "content-length": String(MIB) }), 32 * MIB, room);
    await expect(refused).rejects.toMatchObject({ code: "RATE_LIMITED", headers: { "Retry-After": "2" } });
    expect(pull).not.toHaveBeenCalled();
    other.release();
  });

  it("without a Content-Length is refused as soon as there is no room for what has arrived", async () => {
    const other = new BodyMemory("a");
    other.reserve(31 * MIB);
    const { request, state } = dripping(512 * KIB, 1);
    const refused = expect(readBodyBytes(request, 32 * MIB, room)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    expect(state.cancelled).toBe(true);
    other.release();
  });
});
