import { describe, expect, it } from "vitest";
import { showFlashOnce } from "#server/edge/show-flash-once.ts";
import { flashCookie, readFlash } from "#server/http/flash-cookie.ts";

const CONFIG = { baseUrl: "https://stopwatch.example.com" };

/** What a browser keeps of a `Set-Cookie`. */
const kept = (setCookie: string) => setCookie.split(";", 1)[0] ?? "";

/** Loads a page with this `Cookie` header: what the page sees of it, and what is set. */
function load(cookie: string, { url = "/keys", status = 200, headers = {}, cacheControl = "no-store" } = {}) {
  const request = { method: "GET", url, headers: { cookie, ...headers } };
  const set: string[] = [];
  const response = {
    getHeader: () => cacheControl,
    writeHead: () => response,
    appendHeader: (_name: string, value: string) => set.push(value),
  };
  showFlashOnce(request, response as never, CONFIG);
  (response.writeHead as (status: number) => void)(status);
  return { flash: readFlash(request.headers.cookie, "/keys"), cookie: request.headers.cookie, set };
}

describe("the flash cookie, which carries the result of a form", () => {
  const sent = flashCookie(CONFIG, "/keys", { result: "revoked" });

  it("is for the page to which the form redirects, expires after five minutes, and is hidden from scripts and other sites", () => {
    expect(sent).toMatch(/; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict; Secure$/);
    expect(readFlash(kept(sent), "/keys")).toEqual({ result: "revoked" });
    expect(readFlash(kept(sent), "/keys/new")).toBeUndefined();
    expect(readFlash(null, "/keys")).toBeUndefined();
  });

  it("carries any characters", () => {
    const flash = { result: "saved", clamped: "a,b; c=d&e" };
    expect(readFlash(`zone=UTC; ${kept(flashCookie(CONFIG, "/relay", flash))}; x=y`, "/relay")).toEqual(flash);
  });

  it("is shown by the first document and by refreshes of it, and removed by the second document", () => {
    const first = load(`a=1; ${kept(sent)}`);
    expect(first.flash).toEqual({ result: "revoked" });
    const cookie = `a=1; ${kept(first.set[0] ?? "")}`;
    expect(load(cookie, { headers: { rsc: "1" } })).toEqual({ flash: { result: "revoked" }, cookie, set: [] });
    const second = load(cookie);
    expect(second.flash).toBeUndefined();
    expect(second.cookie.trim()).toBe("a=1");
    expect(second.set).toEqual([expect.stringContaining("Max-Age=0")]);
  });

  it("is left for its page by another page, and by a page that could not be loaded", () => {
    expect(load(kept(sent), { url: "/logs?env=test" }).set).toEqual([]);
    expect(load(kept(sent), { status: 503 }).set).toEqual([]);
    expect(load(kept(sent), { url: "/keys?env=test" }).set).toHaveLength(1);
  });

  it("is neither shown nor removed by a page that is loaded ahead, but by the next one", () => {
    for (const purpose of ["prefetch", "prefetch;prerender"]) {
      const ahead = load(`a=1; ${kept(sent)}`, { headers: { "sec-purpose": purpose } });
      expect([ahead.flash, ahead.set]).toEqual([undefined, []]);
    }
    expect(load(`a=1; ${kept(sent)}`).flash).toEqual({ result: "revoked" });
  });

  it("is not marked as shown by an answer that a cache may keep", () => {
    expect(load(kept(sent), { cacheControl: "public, max-age=300" }).set).toEqual([]);
  });
});
