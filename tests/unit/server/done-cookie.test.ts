import { describe, expect, it } from "vitest";
import { sayDoneOnce } from "#server/edge/say-done-once.ts";
import { doneCookie, readDone } from "#server/http/done-cookie.ts";

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
  sayDoneOnce(request, response as never, CONFIG);
  (response.writeHead as (status: number) => void)(status);
  return { done: readDone(request.headers.cookie, "/keys"), cookie: request.headers.cookie, set };
}

describe("what a form did", () => {
  const sent = doneCookie(CONFIG, "/keys", { did: "revoked" });

  it("is for the page that the form leads to, for five minutes, and for no script and no other site", () => {
    expect(sent).toMatch(/; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict; Secure$/);
    expect(readDone(kept(sent), "/keys")).toEqual({ did: "revoked" });
    expect(readDone(kept(sent), "/keys/new")).toBeUndefined();
    expect(readDone(null, "/keys")).toBeUndefined();
  });

  it("carries what else the page says, whatever characters it has", () => {
    const done = { did: "saved", clamped: "a,b; c=d&e" };
    expect(readDone(`zone=UTC; ${kept(doneCookie(CONFIG, "/relay", done))}; x=y`, "/relay")).toEqual(done);
  });

  it("is seen by the first document and by refreshes after it, not by the second document, which removes it", () => {
    const first = load(`a=1; ${kept(sent)}`);
    expect(first.done).toEqual({ did: "revoked" });
    const cookie = `a=1; ${kept(first.set[0] ?? "")}`;
    expect(load(cookie, { headers: { rsc: "1" } })).toEqual({ done: { did: "revoked" }, cookie, set: [] });
    const second = load(cookie);
    expect(second.done).toBeUndefined();
    expect(second.cookie.trim()).toBe("a=1");
    expect(second.set).toEqual([expect.stringContaining("Max-Age=0")]);
  });

  it("is not used up by another page, nor by a page that could not be loaded", () => {
    expect(load(kept(sent), { url: "/logs?env=test" }).set).toEqual([]);
    expect(load(kept(sent), { status: 503 }).set).toEqual([]);
    expect(load(kept(sent), { url: "/keys?env=test" }).set).toHaveLength(1);
  });

  it("is not marked by an answer that a cache may keep", () => {
    expect(load(kept(sent), { cacheControl: "public, max-age=300" }).set).toEqual([]);
  });
});
