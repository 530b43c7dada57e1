import { describe, expect, it } from "vitest";
import { isApiTarget, isPageTarget, isUnknownMethod, normaliseRequest } from "#server/http/normalise-request.ts";

function readable(url: string, method = "GET", headers: Record<string, string> = {}) {
  const request = { url, method, headers };
  normaliseRequest(request);
  return request;
}

describe("a request that Next.js would change, or refuse without the error envelope:", () => {
  it.each([
    ["/v1/schedules/%E0%A4%A", "/v1/schedules/%25E0%25A4%25A"],
    ["/v1/%FF?q=%FF", "/v1/%25FF?q=%FF"],
    ["/v1/%?a=b?c", "/v1/%25?a=b?c"],
    ["/schedules/%E0%A4%A?a=%", "/schedules/%25E0%25A4%25A?a=%"],
    ["/docs/%", "/docs/%25"],
  ])("%s becomes a path that can be decoded", (url, expected) => {
    expect(readable(url).url).toBe(expected);
    expect(() => decodeURIComponent(expected.split("?")[0] ?? "")).not.toThrow();
  });

  it.each([
    "/v1/",
    "//v1",
    "/v1//schedules",
    "/v1/schedules/",
    "/v1/schedules/?limit=1",
    "/v1\\schedules",
    "//v1//%FF",
  ])("%s becomes one path segment under /v1 that no route has", (url) => {
    const [path = "", query] = readable(url).url.split("?");
    expect(path).toMatch(/^\/v1\/[^/\\]+$/);
    expect(decodeURIComponent(path.slice("/v1/".length))).toBe(url.split("?")[0]);
    expect(query).toBe(url.split("?")[1]);
  });

  it.each([
    ["http://a.example/v1/schedules?limit=1", "/v1/schedules?limit=1"],
    ["HTTPS://a b:1", "/"],
    ["a.example:443", "/a.example:443"],
    ["*", "/healthz"],
  ])("%s becomes %s", (url, expected) => {
    expect(readable(url).url).toBe(expected);
  });

  it.each([
    ["/_next/static/../../docs/api", "/docs/api"],
    ["/_next/static/%2e%2E/.%2e/docs", "/docs"],
    ["/v1/../login?next=/../a", "/login?next=/../a"],
    ["/v1\\..\\login", "/login"],
    ["/x/../v1/./schedules?limit=1", "/v1/schedules?limit=1"],
    ["/x/..//v1", "/v1/%2F%2Fv1"],
    ["/../../healthz/.", "/healthz/"],
    ["/docs/a..b/.well/...", "/docs/a..b/.well/..."],
    ["/docs#/../v1", "/docs#/../v1"],
  ])("%s becomes %s, so that it is counted and answered as that path", (url, expected) => {
    expect(readable(url).url).toBe(expected);
    const asNextReadsIt = new URL(url, "http://localhost").pathname;
    if (!isApiTarget(expected)) expect(new URL(expected, "http://localhost").pathname).toBe(asNextReadsIt);
  });

  it.each([
    ["/v1/schedules?nxtPid=1&limit=1&nxtI", "/v1/schedules?x_nxtPid=1&limit=1&x_nxtI"],
    ["/v1/schedules?%6ExtPid=1&__prot%6F__=2", "/v1/schedules?x_%6ExtPid=1&x___prot%6F__=2"],
  ])("%s gets query names that Next.js does not use", (url, expected) => {
    expect(readable(url).url).toBe(expected);
  });

  it("one with an unknown method becomes a PUT that every route refuses, and no other PUT does", () => {
    const isRefused = (method: string, sent: Record<string, string> = {}) => {
      const { method: read, headers } = readable("/v1/schedules/by-key/a", method, sent);
      expect(read).toBe("PUT");
      return isUnknownMethod({ headers: new Headers(headers) });
    };
    expect(["TRACE", "PROPFIND", "put"].map((method) => isRefused(method))).toEqual([true, true, true]);
    expect(isRefused("PUT", { "x-stopwatch-unknown-method": "1" })).toBe(false);
  });

  it("one for a page's data becomes one for the API", () => {
    const headers = { rsc: "1", "next-router-prefetch": "1", authorization: "x" };
    expect(readable("/v1/schedules", "GET", { ...headers }).headers).toEqual({ authorization: "x" });
    expect(readable("/overview", "GET", { ...headers }).headers).toEqual(headers);
  });
});

it.each([
  ["/v1/schedules?q=%E0%A4%A", "GET"],
  ["/v1/schedules?q=https://a.example//?nxt", "GET"],
  ["/v1/schedules/%41", "DELETE"],
  ["/v1", "HEAD"],
  ["/v11//%20", "POST"],
  ["/", "GET"],
])("the request %s %s stays as it is", (url, method) => {
  expect(readable(url, method)).toEqual({ url, method, headers: {} });
});

it.each([
  ["/v1", true],
  ["/v1?x", true],
  ["//v1/x", true],
  ["/v1\\x", true],
  ["http://a.example/v1/x", true],
  ["/v10", false],
  ["/x/v1", false],
  ["/overview?a=/v1", false],
])("whether %s is a path of the API: %s", (target, expected) => {
  expect(isApiTarget(target)).toBe(expected);
});

it.each([
  ["/", true],
  ["/sdks", true],
  ["/sdk", true],
  ["/docs/sdk/x", true],
  ["/sdk.tgz", false],
  ["/sdk.tgz?x", false],
  ["/sdk/index.js", false],
  ["/cli", true],
  ["/cli.tgz", false],
  ["/cli/stopwatch-cli-0.1.0.tgz", false],
  ["/healthz", false],
  ["/v1/me", false],
])("whether %s is a page: %s", (target, expected) => {
  expect(isPageTarget(target)).toBe(expected);
});
