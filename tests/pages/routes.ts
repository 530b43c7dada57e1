import { globSync } from "node:fs";
import { PAGES } from "./pages.ts";
import type { SeededAccount } from "./seed.ts";

/**
 * The routes of all pages in app/ (dashboard) and pages/ (public), such as `/schedules/[id]`, without those of development; `of`
 * one of the two alone.
 */
export function routesOfApp(of?: "dashboard" | "public"): string[] {
  const ofDashboard = filesOf("app/**/page.tsx").map((file) => file.slice("app".length, -"/page.tsx".length));
  const ofPublic = filesOf("pages/**/*.tsx")
    .filter((file) => !file.startsWith("pages/_"))
    .map((file) => file.slice("pages".length).replace(/(?:\/index)?\.tsx$/, ""));
  const routes = { dashboard: ofDashboard, public: ofPublic };
  return (of ? routes[of] : [...ofDashboard, ...ofPublic])
    .map((path) => path.replaceAll(/\/\([^)]*\)/g, "") || "/")
    .sort();
}

const filesOf = (pattern: string) => globSync(pattern).map((file) => file.replaceAll("\\", "/"));

/** One address to open. */
export type PageToOpen = { name: string; route: string; path: string; as: "nobody" | "owner" | "newcomer" | "admin" };

/** Every address of every page that exists: with data, and for pages of an account also without. */
export function pagesToOpen({ owner }: { owner: SeededAccount }): PageToOpen[] {
  const pages = routesOfApp().flatMap((route) => {
    const listed = PAGES[route];
    if (listed === undefined) throw new Error(`tests/pages/pages.ts does not list ${route}`);
    const { viewer, states } = listed;
    const of = (as: PageToOpen["as"], account: SeededAccount | null, prefix = "") =>
      Object.entries(states(account)).map(([state, path]) => ({
        name: `${nameOf(route)}--${prefix}${state}`,
        route,
        path,
        as,
      }));
    if (viewer === "nobody") return of("nobody", null);
    if (viewer === "admin") return of("admin", owner);
    return [...of("owner", owner), ...of("newcomer", null, "empty-")];
  });
  return pages.filter(({ path }, at) => pages.findIndex((one) => one.path === path && one.as === pages[at]?.as) === at);
}

/** The addresses of all pages of the dashboard, by those who administer too, with made-up ids. */
export function dashboardPaths(): string[] {
  const id = "0".repeat(26);
  const schedules = { scheduled: `sch_${id}`, dead: `sch_${id}` };
  const ids = { keyId: `key_${id}`, identityId: `idn_${id}` };
  const account: SeededAccount = { id: crypto.randomUUID(), session: "", schedules, ...ids };
  return Object.values(PAGES)
    .filter(({ viewer }) => viewer !== "nobody")
    .flatMap(({ states }) => Object.values(states(account)));
}

function nameOf(route: string): string {
  return route === "/"
    ? "landing"
    : route
        .slice(1)
        .replaceAll(/[[\].]/g, "")
        .replaceAll("/", "-");
}
