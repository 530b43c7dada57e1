import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BodyMemory } from "#server/http/body-memory.ts";
import { readBodyBytes } from "#server/http/read-body-bytes.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
let room: BodyMemory;

beforeEach(() => {
  vi.useFakeTimers();
  room = BodyMemory.ofAccount("a");
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
    ["it sends nothing", 0, 60_000, 5_000],
    ["it sends a byte every second", 1, 1_000, 30_000],
    ["it sends half of 64 KiB every second", 32 * KIB, 1_000, 60_000],
  ])("is cut off when its time is over: %s", async (_, bytes, everyMs, cutAfterMs) => {
    const { request, state } = dripping(bytes, everyMs);
    let outcome: unknown;
    readBodyBytes(request, { bytesMax: 32 * MIB, memory: room }).catch((error) => {
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
    const read = readBodyBytes(request, { bytesMax: 4 * MIB, memory: room });
    await vi.advanceTimersByTimeAsync(66_000);
    expect(await read).toBe("too large");
  });

  it("reserves what has arrived, and nothing for what its Content-Length announces", async () => {
    const other = BodyMemory.ofAccount("a");
    other.reserve(31 * MIB);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(1_000));
        controller.close();
      },
    });
    const announced = request(body, { "content-length": String(30 * MIB) });
    const read = await readBodyBytes(announced, { bytesMax: 32 * MIB, memory: room });
    expect(read).toMatchObject({ length: 1_000 });
    other.release();
  });

  it("ends with RATE_LIMITED when its memory is taken back while it arrives", async () => {
    const { request, state } = dripping(512 * KIB, 10);
    const read = expect(readBodyBytes(request, { bytesMax: 32 * MIB, memory: room })).rejects.toMatchObject({
      code: "RATE_LIMITED",
    });
    await vi.advanceTimersByTimeAsync(400);
    const others = ["b", "c", "d", "e", "f"].map((id) => BodyMemory.ofAccount(id));
    for (const one of others) one.reserve(17 * MIB);
    await vi.advanceTimersByTimeAsync(100);
    await read;
    expect(state.cancelled).toBe(true);
    for (const one of others) one.release();
  });

  it("without a Content-Length is refused as soon as what has arrived exceeds the body memory", async () => {
    const other = BodyMemory.ofAccount("a");
    other.reserve(31 * MIB);
    const { request, state } = dripping(512 * KIB, 1);
    const refused = expect(readBodyBytes(request, { bytesMax: 32 * MIB, memory: room })).rejects.toMatchObject({
      code: "RATE_LIMITED",
    });
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    expect(state.cancelled).toBe(true);
    other.release();
  });

  it("in chunks of one byte is refused after some 20,000 of them, and in chunks of 64 bytes is not", async () => {
    const inChunks = (bytes: number) => {
      const state = { chunks: 0, cancelled: false };
      const body = new ReadableStream({
        pull(controller) {
          if (state.chunks++ * bytes >= 2 * MIB) controller.close();
          else controller.enqueue(new Uint8Array(bytes));
        },
        cancel() {
          state.cancelled = true;
        },
      });
      return { read: readBodyBytes(request(body), { bytesMax: 2 * MIB, memory: room }), state };
    };
    const single = inChunks(1);
    await expect(single.read).rejects.toMatchObject({ code: "VALIDATION", status: 400 });
    expect(single.state).toEqual({ chunks: expect.any(Number), cancelled: true });
    expect(single.state.chunks).toBeLessThan(21_000);
    expect(await inChunks(64).read).toMatchObject({ length: 2 * MIB });
  });
});
