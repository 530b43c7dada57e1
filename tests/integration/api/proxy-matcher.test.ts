import { unstable_doesMiddlewareMatch as doesMiddlewareMatch } from "next/experimental/testing/server";
import { describe, expect, it } from "vitest";
import { config } from "#proxy.ts";
import { markAsGuarded } from "#server/http/response-headers.ts";

/** Whether Next.js runs `proxy.ts` for a request. */
const runs = (url: string, headers: Record<string, string>) => doesMiddlewareMatch({ config, url, headers });

describe("proxy.ts on a platform", () => {
  it.each(["/", "/login", "/schedules?q=1", "/v1/%ff"])(
    "runs for %s although the caller says that the guard has had the request",
    (url) => {
      expect(runs(url, { "x-vercel-id": "fra1::x", "x-stopwatch-guarded": "1" })).toBe(true);
      expect(runs(url, {})).toBe(true);
    },
  );

  it.each(["/v1/schedules", "/healthz", "/_next/static/x.css", "/sdk.tgz"])("does not run for %s", (url) => {
    expect(runs(url, { "x-vercel-id": "fra1::x" })).toBe(false);
  });
});

describe("proxy.ts behind the guard", () => {
  it("does not run, whatever the caller sends", () => {
    const headers: Record<string, string> = { "x-vercel-id": "fra1::x" };
    markAsGuarded({ headers });
    for (const url of ["/login", "/v1/%ff"]) expect(runs(url, headers)).toBe(false);
  });
});
