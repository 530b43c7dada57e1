import { describe, expect, it } from "vitest";
import { addSecurityHeaders, type PageSettings } from "#server/edge/response-headers.ts";

const deployed = { isHttps: true, isDevelopment: false };

/** The headers of an answer, and those of the request as Next.js sees them. */
function headersOf(isPage: boolean, settings: PageSettings, sent: Record<string, string> = {}) {
  const answer = new Map<string, string>();
  const request = { headers: { ...sent } as Record<string, string> };
  const response = { setHeader: (name: string, value: string) => answer.set(name.toLowerCase(), value) };
  addSecurityHeaders(request, response as never, isPage, settings);
  return { answer, request: request.headers };
}

describe("an answer", () => {
  it("binds browsers to https for a year only where callers come by https", () => {
    for (const isPage of [true, false]) {
      const over = (isHttps: boolean) => headersOf(isPage, { ...deployed, isHttps }).answer;
      expect(over(true).get("strict-transport-security")).toBe("max-age=31536000");
      expect(over(false).has("strict-transport-security")).toBe(false);
      expect(over(false).get("content-security-policy") ?? "").not.toContain("upgrade-insecure-requests");
    }
  });

  it("has a policy when it is a page, the same that Next.js takes its nonce from, and never the caller's", () => {
    const sent = { "content-security-policy": "script-src 'nonce-mine'", "content-security-policy-report-only": "x" };
    const page = headersOf(true, deployed, sent);
    expect(page.request).toEqual({
      "content-security-policy": page.answer.get("content-security-policy"),
      "x-request-id": page.answer.get("x-request-id"),
    });
    const other = headersOf(false, deployed, sent);
    expect([other.request, other.answer.has("content-security-policy")]).toEqual([{}, false]);
  });

  it("names the request of a page, in the answer and to the page itself, whatever the caller calls it", () => {
    const page = headersOf(true, deployed, { "x-request-id": "mine" });
    expect(page.answer.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(page.request["x-request-id"]).toBe(page.answer.get("x-request-id"));
  });

  it("lets Next.js evaluate text and write styles while it compiles pages, and never otherwise", () => {
    const policy = (isDevelopment: boolean) =>
      headersOf(true, { ...deployed, isDevelopment }).answer.get("content-security-policy");
    expect(policy(true)).toMatch(/script-src [^;]*'unsafe-eval'; style-src 'self' 'unsafe-inline'/);
    expect(policy(false)).not.toContain("unsafe");
  });
});
