import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "#domain/errors.ts";
import { admitAction } from "#server/edge/action-bodies.ts";

const SETTINGS = { baseUrl: "https://own.example.com", trustedProxies: [] };
const MIB = 1024 * 1024;

function request(headers: Record<string, string>, url = "/schedules/new?env=test", method = "POST") {
  const own = { origin: SETTINGS.baseUrl, "content-type": "multipart/form-data; boundary=x", "content-length": "100" };
  const destroy = vi.fn();
  const made = {
    ...{ method, url, complete: false, destroy, socket: { remoteAddress: "203.0.113.7" } },
    headers: Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== "")),
  };
  return made as unknown as IncomingMessage & { destroy: typeof destroy; complete: boolean };
}

function admit(asked: IncomingMessage) {
  const response = new EventEmitter();
  admitAction(asked, response as never, SETTINGS);
  return () => response.emit("close");
}

function refusal(asked: IncomingMessage): string {
  try {
    admit(asked)();
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
    admit(asked)();
    expect(asked.headers["x-forwarded-host"]).toBe("own.example.com");
  });

  it.each([
    ["of another site", { origin: "https://evil.example.com" }, "403 FORBIDDEN"],
    ["of a page without an origin", { origin: "null" }, "403 FORBIDDEN"],
    ["of another site that hides its origin", { origin: "", "sec-fetch-site": "cross-site" }, "403 FORBIDDEN"],
    ["without its length", { "content-length": "", "transfer-encoding": "chunked" }, "411 VALIDATION"],
    ["that is too large", { "content-length": String(8 * MIB + 1) }, "413 PAYLOAD_TOO_LARGE"],
    [
      "that a script sends, of another site",
      { origin: "https://evil.example.com", "next-action": "x" },
      "403 FORBIDDEN",
    ],
  ])("is refused before it is read: %s", (_, headers, expected) => {
    expect(refusal(request(headers))).toBe(expected);
  });

  it("reserves memory of its caller's budget until it is answered", () => {
    const large = { "content-length": String(8 * MIB) };
    const ends = Array.from({ length: 4 }, () => admit(request(large)));
    expect(refusal(request(large))).toBe("429 RATE_LIMITED");
    for (const end of ends) end();
    expect(refusal(request(large))).toBe("admitted");
  });

  it("is cut off when it arrives too slowly, and not once it has arrived", () => {
    const slow = request({ "content-length": String(64 * 1024) });
    const there = request({});
    const ends = [admit(slow), admit(there)];
    there.complete = true;
    vi.advanceTimersByTime(30_900);
    expect(slow.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(slow.destroy).toHaveBeenCalledOnce();
    expect(there.destroy).not.toHaveBeenCalled();
    for (const end of ends) end();
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
