import { globSync } from "node:fs";
import { PAGES } from "./pages.ts";
import type { SeededAccount } from "./seed.ts";

/** The routes of all pages in app/, such as `/schedules/[id]`, without those of development. */
export function routesOfApp(): string[] {
  return globSync("app/**/page.tsx")
    .map((file) => file.replaceAll("\\", "/").slice("app".length, -"/page.tsx".length))
    .map((folder) => folder.replaceAll(/\/\([^)]*\)/g, "") || "/")
    .sort();
}

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
  return route === "/" ? "landing" : route.slice(1).replaceAll(/[[\]]/g, "").replaceAll("/", "-");
}
