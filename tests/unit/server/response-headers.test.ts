import { describe, expect, it } from "vitest";
import { addPageHeaders, apiHeaders, dropSentPolicies, type PageSettings } from "#server/http/response-headers.ts";

const deployed: PageSettings = { isHttps: true, hsts: "host", isDevelopment: false };

/** The headers of an answer, and those of its request as Next.js sees them. */
function headersOf(isPage: boolean, settings: PageSettings, sent: Record<string, string> = {}) {
  const answer = new Map<string, string>();
  const request = { headers: { ...sent } as Record<string, string> };
  const setHeaders = (all: Map<string, string>) => {
    for (const [name, value] of all) answer.set(name.toLowerCase(), value);
  };
  dropSentPolicies(request);
  if (isPage) addPageHeaders(request, { setHeaders } as never, settings);
  else setHeaders(apiHeaders(settings));
  return { answer, request: request.headers };
}

describe("an answer", () => {
  it("has Strict-Transport-Security for a year only where the service is reached by https", () => {
    for (const isPage of [true, false]) {
      const over = (isHttps: boolean) => headersOf(isPage, { ...deployed, isHttps }).answer;
      expect(over(true).get("strict-transport-security")).toBe("max-age=31536000");
      expect(over(false).has("strict-transport-security")).toBe(false);
      expect(over(false).get("content-security-policy") ?? "").not.toContain("upgrade-insecure-requests");
    }
  });

  it("has Strict-Transport-Security for the hosts below it, or none, where the setting says so", () => {
    const of = (hsts: PageSettings["hsts"]) =>
      headersOf(true, { ...deployed, hsts }).answer.get("strict-transport-security");
    expect([of("subdomains"), of("off")]).toEqual(["max-age=31536000; includeSubDomains", undefined]);
  });

  it("isolates its window from other sites when it is a page, and cannot be embedded by them when it is none", () => {
    const names = ["permissions-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"];
    const [page, other] = [true, false].map((isPage) => headersOf(isPage, deployed).answer);
    expect(names.map((name) => page?.get(name))).toEqual([
      expect.stringMatching(/^accelerometer=\(\), camera=\(\), .*payment=\(\), .*\(\)$/),
      "same-origin",
      undefined,
    ]);
    expect(names.map((name) => other?.get(name))).toEqual([undefined, undefined, "same-origin"]);
  });

  it("has a Content-Security-Policy when it is a page, with the nonce that Next.js uses and never the caller's", () => {
    const sent = { "content-security-policy": "script-src 'nonce-mine'", "content-security-policy-report-only": "x" };
    const page = headersOf(true, deployed, sent);
    expect(page.request).toEqual({
      "content-security-policy": page.answer.get("content-security-policy"),
      "x-request-id": page.answer.get("x-request-id"),
    });
    const other = headersOf(false, deployed, sent);
    expect(other.request).toEqual({});
    expect(other.answer.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it("of a page has the request id in its headers and shows it to the page, whatever id the caller sends", () => {
    const page = headersOf(true, deployed, { "x-request-id": "mine" });
    expect(page.answer.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(page.request["x-request-id"]).toBe(page.answer.get("x-request-id"));
  });

  it("allows eval and inline styles only while Next.js compiles pages in development", () => {
    const policy = (isDevelopment: boolean) =>
      headersOf(true, { ...deployed, isDevelopment }).answer.get("content-security-policy");
    expect(policy(true)).toMatch(/script-src [^;]*'unsafe-eval'; style-src 'self' 'unsafe-inline'/);
    expect(policy(false)).not.toContain("unsafe");
  });
});
