import { type Environment, environmentQuery } from "#domain/environment.ts";
import { THEMES } from "#domain/theme.ts";
import { statusWord } from "../format/status-word.ts";
import type { Command } from "./commands.ts";
import { NAV_GROUPS } from "./nav-entries.ts";

/** The id of the button in the frame that signs out. */
export const SIGN_OUT_ID = "sign-out";

/** The commands of a dashboard page, in the order of the palette. */
export function commandsOf({
  env,
  envLinks,
  isAdmin,
}: {
  env: Environment;
  envLinks: Record<Environment, string>;
  isAdmin: boolean;
}): readonly Command[] {
  const other = env === "live" ? "test" : "live";
  const pages = NAV_GROUPS.flatMap(({ entries }) => entries).filter(({ isAdmins }) => isAdmin || !isAdmins);
  return [
    { group: "Do", label: "New schedule", href: newScheduleHref(env) },
    { group: "Do", label: "New recurrence", href: inEnvironment("/recurrences/one", env) },
    { group: "Do", label: `Switch to ${other}`, href: envLinks[other] },
    ...pages.map(({ href, label }) => ({ group: "Go to", label, href: inEnvironment(href, env) })),
    ...(["failed", "dead"] as const).map((status) => ({
      group: "Go to",
      label: `Schedules, ${statusWord(status)}`,
      href: inEnvironment("/schedules", env, { status }),
    })),
    { group: "Go to", label: "Documentation", href: "/docs" },
    { group: "Go to", label: "API reference", href: "/docs/api" },
    { group: "Go to", label: "Status", href: "/status" },
    { group: "Times", label: "Times in UTC", press: "times-utc" },
    { group: "Times", label: "Times in the local zone", press: "times-local" },
    { group: "Account", label: "Sign out", press: SIGN_OUT_ID },
    ...THEMES.map((theme) => ({ group: "Theme", label: `Theme: ${theme}`, press: `theme-${theme}` })),
  ];
}

/** The URL of the form of a new schedule. */
export function newScheduleHref(env: Environment): string {
  return inEnvironment("/schedules/new", env);
}

function inEnvironment(path: string, env: Environment, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams({ ...query, ...environmentQuery(env) }).toString();
  return search === "" ? path : `${path}?${search}`;
}
