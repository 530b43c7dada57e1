import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "#domain/errors.ts";
import { parsePlans } from "#domain/plans.ts";
import { admitAction } from "#server/edge/action-bodies.ts";

// With a payload of 1 MiB a form may have 8 MiB.
const plans = parsePlans('{"indie":{"payloadBytesMax":1048576}}');
const SETTINGS = { baseUrl: "https://own.example.com", trustedProxies: [], clientAddressHeader: undefined, plans };
const MIB = 1024 * 1024;

function request(headers: Record<string, string>, url = "/schedules/new?env=test", method = "POST") {
  const own = { origin: SETTINGS.baseUrl, "content-type": "multipart/form-data; boundary=x", "content-length": "100" };
  const push = vi.fn(() => true);
  const made = {
    method,
    url,
    push,
    socket: { remoteAddress: "203.0.113.7" },
    headers: Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== "")),
  };
  return made as unknown as IncomingMessage;
}

/** `refusals` are what the form got as an answer while it arrived. `end` ends the response. */
function admit(asked: IncomingMessage) {
  const response = new EventEmitter();
  const refusals: string[] = [];
  admitAction(asked, response as never, SETTINGS, ({ status, code }) => refusals.push(`${status} ${code}`));
  return { refusals, end: () => response.emit("close") };
}

function refusal(asked: IncomingMessage): string {
  try {
    admit(asked).end();
    return "admitted";
  } catch (error) {
    if (error instanceof AppError) return `${error.status} ${error.code}`;
    throw error;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the form of a page that has an action", () => {
  it("is admitted from a page of our own, and Next.js gets our address as the host", () => {
    const asked = request({ host: "10.0.0.5:3000", "x-forwarded-host": "evil.example.com" });
    admit(asked).end();
    expect(asked.headers["x-forwarded-host"]).toBe("own.example.com");
  });

  it.each([
    ["of another site", { origin: "https://evil.example.com" }, "403 FORBIDDEN"],
    ["of a page without an origin", { origin: "null" }, "403 FORBIDDEN"],
    ["of another site that hides its origin", { origin: "", "sec-fetch-site": "cross-site" }, "403 FORBIDDEN"],
    ["without its length", { "content-length": "", "transfer-encoding": "chunked" }, "411 VALIDATION"],
    ["that is too large", { "content-length": String(8 * MIB + 1) }, "413 PAYLOAD_TOO_LARGE"],
    ["that is no form", { "content-type": "text/plain", "next-action": "x" }, "415 UNSUPPORTED_MEDIA_TYPE"],
    ["without a boundary", { "content-type": "multipart/form-data" }, "415 UNSUPPORTED_MEDIA_TYPE"],
    ["with two", { "content-type": "multipart/form-data; boundary=x; boundary=y" }, "415 UNSUPPORTED_MEDIA_TYPE"],
    [
      "that a script sends, of another site",
      { origin: "https://evil.example.com", "next-action": "x" },
      "403 FORBIDDEN",
    ],
  ])("is refused before it is read: %s", (_, headers, expected) => {
    expect(refusal(request(headers))).toBe(expected);
  });

  it("reserves memory for what has arrived, and nothing for the length that it announces", () => {
    const large = { "content-length": String(8 * MIB) };
    const idle = Array.from({ length: 40 }, () => admit(request(large)));
    const arriving = Array.from({ length: 5 }, () => {
      const asked = request(large);
      const { end, refusals } = admit(asked);
      for (let n = 0; n < 4; n++) asked.push(Buffer.alloc(MIB));
      return { end, refusals };
    });
    expect(arriving.map(({ refusals }) => refusals)).toEqual([[], [], [], [], ["429 RATE_LIMITED"]]);
    for (const { end } of [...idle, ...arriving]) end();
    const asked = request(large);
    const { end, refusals } = admit(asked);
    asked.push(Buffer.alloc(8 * MIB));
    expect(refusals).toEqual([]);
    end();
  });

  it("is passed to Next.js piece by piece, and no further piece after it was refused", () => {
    const asked = request({ "content-length": String(8 * MIB) });
    const { push } = asked;
    const { end } = admit(asked);
    asked.push(Buffer.from("a"));
    expect(push).toHaveBeenCalledExactlyOnceWith(Buffer.from("a"));
    vi.advanceTimersByTime(31_000);
    asked.push(Buffer.from("b"));
    expect(push).toHaveBeenCalledOnce();
    end();
  });

  it("must begin within 5 s and arrive at the minimum pace of a body; after it has arrived there is no deadline", () => {
    const idle = request({ "content-length": "1000" });
    const slow = request({ "content-length": String(64 * 1024) });
    const there = request({});
    const [ofIdle, ofSlow, ofThere] = [admit(idle), admit(slow), admit(there)];
    slow.push(Buffer.alloc(32 * 1024));
    there.push(Buffer.alloc(100));
    there.push(null);
    vi.advanceTimersByTime(4_900);
    expect(ofIdle.refusals).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(ofIdle.refusals).toEqual(["408 VALIDATION"]);
    vi.advanceTimersByTime(25_300);
    expect(ofSlow.refusals).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(ofSlow.refusals).toEqual(["408 VALIDATION"]);
    vi.advanceTimersByTime(60_000);
    expect([ofIdle.refusals.length, ofThere.refusals.length]).toEqual([1, 0]);
    for (const { end } of [ofIdle, ofSlow, ofThere]) end();
  });
});

describe("a page without an action", () => {
  it("gets no action, and Next.js does not read the body", () => {
    const asked = request({ "next-action": "a".repeat(42), origin: "https://evil.example.com" }, "/logs");
    admit(asked);
    expect(asked.headers["next-action"]).toBeUndefined();
    expect(asked.headers["content-type"]).toBe("application/octet-stream");
  });

  it("leaves a GET and a form for a route of our own unchanged", () => {
    const read = request({ "content-type": "" }, "/schedules/new", "GET");
    const routed = request({ "content-type": "application/x-www-form-urlencoded" }, "/account/sign-out");
    for (const asked of [read, routed]) {
      const before = { ...asked.headers };
      admit(asked);
      expect(asked.headers).toEqual(before);
    }
  });
});
