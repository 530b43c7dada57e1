import { describe, expect, it } from "vitest";
import { isLoadedAhead, mayLoadAhead, SPECULATION_RULES } from "#domain/load-ahead.ts";
import { DOC_PAGES, docHref } from "#server/docs/pages.ts";
import { PAGES } from "#tests/pages/pages.ts";

const ID = "0".repeat(26);

describe("what a browser may load ahead", () => {
  it("is what people open most", () => {
    const paths = ["/", "/status", "/overview", "/schedules", `/schedules/sch_${ID}`, "/logs", "/docs/api/schedules"];
    for (const path of [...paths, ...DOC_PAGES.map(docHref)]) expect(mayLoadAhead(path), path).toBe(true);
  });

  it("is never a page that signs in or out, asks to confirm, ends a subscription or shows a secret, nor the API or a form", () => {
    const others = Object.keys(PAGES)
      .filter((path) =>
        /login|confirm|unsubscribe|deleted|signing|account|admin|created|cancel|fire|replay|rotate|revoke/.test(path),
      )
      .map((path) => path.replaceAll(/\[(\w+)\]/g, `sch_${ID}`));
    expect(others.length).toBeGreaterThan(15);
    const more = [
      "/account/sign-out",
      "/v1/auth/oauth/github/start",
      "/v1/schedules",
      "/schedules/start",
      "/preferences",
    ];
    for (const path of [...others, ...more, "/schedules/select", "/logs/newer", "/docs/../login", "/DOCS"]) {
      expect(mayLoadAhead(path), path).toBe(false);
    }
  });

  it("is known by its header alone", () => {
    for (const purpose of ["prefetch", "prefetch;prerender", "prefetch; anonymous-client-ip"]) {
      expect(isLoadedAhead(purpose)).toBe(true);
    }
    for (const purpose of [undefined, null, "", "prefetching", "x prefetch"])
      expect(isLoadedAhead(purpose)).toBe(false);
  });

  it("stands in the rules of each page, in JSON that ends no script", () => {
    expect(JSON.parse(SPECULATION_RULES).prefetch[0].where.or).toContainEqual({
      href_matches: { pathname: "/overview" },
    });
    expect(SPECULATION_RULES).not.toContain("<");
  });
});
