import { FlaskConical, Menu, Search } from "lucide";
import type { ElementType, ReactNode } from "react";
import { ENVIRONMENTS, type Environment } from "#domain/environment.ts";
import type { Theme } from "#domain/theme.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Command } from "./commands.ts";
import { commandsOf, newScheduleHref, SIGN_OUT_ID } from "./dashboard-commands.ts";
import { type Counted, DashboardNav } from "./dashboard-nav.tsx";
import { Wordmark } from "./mark.tsx";
import { Rows } from "./rows.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { MAIN_ID, SkipLink } from "./skip-link.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

const NAV_ID = "nav";

/**
 * The frame of dashboard pages: environment switch, navigation, and at the foot usage, dispatcher status and user. A side
 * bar from 1024 px; below that a top bar with a menu in a native popover.
 */
export function DashboardFrame({
  theme,
  env,
  envLinks,
  current,
  isAdmin,
  waiting,
  email,
  commands = [],
  foot,
  band,
  as: Anchor = "a",
  children,
}: {
  theme: Theme;
  env: Environment;
  /** This page in either environment. */
  envLinks: Record<Environment, string>;
  /** The path of the page. */
  current: string;
  isAdmin: boolean;
  /** How many schedules wait for an attempt, or more than that. */
  waiting?: Counted;
  /** Undefined while it is not known. */
  email?: string;
  /** The acts on what the page shows, for the palette. */
  commands?: readonly Command[];
  /** Usage and dispatcher status. */
  foot?: ReactNode;
  /** What all pages of the environment say, above the page. */
  band?: ReactNode;
  as?: ElementType;
  children: ReactNode;
}) {
  return (
    <div className="grid min-h-dvh grid-cols-1 grid-rows-[auto_1fr] lg:grid-cols-[14.5rem_minmax(0,1fr)] lg:grid-rows-1">
      <SkipLink />
      <header className="sticky top-0 z-30 flex h-13 items-center gap-3 border-line border-b bg-canvas px-3 lg:h-dvh lg:flex-col lg:items-stretch lg:gap-2 lg:border-r lg:border-b-0 lg:pt-4 lg:pb-3">
        <span className="mr-auto lg:mb-2 lg:px-2">
          <Wordmark href="/overview" />
        </span>
        <Shortcuts
          commands={[...commands, ...commandsOf({ env, envLinks, isAdmin })]}
          env={env}
          newHref={newScheduleHref(env)}
          icon={<Icon of={Search} small />}
        />
        <Rows />
        <Environments env={env} links={envLinks} as={Anchor} />
        <Button square popoverTarget={NAV_ID} aria-label="Menu" className="lg:hidden">
          <Icon of={Menu} />
        </Button>
        <nav id={NAV_ID} popover="auto" aria-label="Main" className={NAV}>
          <DashboardNav env={env} current={current} isAdmin={isAdmin} waiting={waiting} as={Anchor} />
          <div className="mt-auto grid grid-cols-1 gap-3 px-2 pt-3 pb-1">
            {foot}
            <form method="post" action="/account/sign-out" className="flex items-center justify-between gap-2">
              <span className="min-w-0 truncate text-ink-soft text-xs" title={email}>
                {email}
              </span>
              <Button id={SIGN_OUT_ID} type="submit" size="small" kind="ghost" className="-mr-2 shrink-0">
                Sign out
              </Button>
            </form>
            <div className="flex">
              <ThemeSwitch theme={theme} />
            </div>
          </div>
        </nav>
      </header>
      <div className="min-w-0 pb-16">
        <main id={MAIN_ID}>
          {env === "test" && (
            <p className="flex min-h-7 items-center gap-2 border-warn-line border-b bg-test-band px-4 py-1 text-warn text-xs">
              <Icon of={FlaskConical} small />
              Test. Requests are really sent, but free, and left out of usage and public punctuality.
            </p>
          )}
          {band}
          {children}
        </main>
      </div>
    </div>
  );
}

function Environments({
  env,
  links,
  as: Anchor,
}: {
  env: Environment;
  links: Record<Environment, string>;
  as: ElementType;
}) {
  return (
    <nav
      aria-label="Environment"
      className="inline-grid auto-cols-fr grid-flow-col rounded-md border border-line bg-sunken p-0.5"
    >
      {ENVIRONMENTS.map((name) => (
        <Anchor
          key={name}
          href={links[name]}
          aria-current={name === env ? "true" : undefined}
          className="flex min-h-6 min-w-13 items-center justify-center gap-1.5 rounded-sm px-2 text-ink-soft text-xs hover:text-ink aria-[current]:bg-raised aria-[current]:font-medium aria-[current]:text-ink aria-[current]:ring-1 aria-[current]:ring-line"
        >
          {name === env && (
            <span
              className={`size-1.5 ${name === "live" ? "rounded-full bg-accent" : "rotate-45 bg-warn"}`}
              aria-hidden="true"
            />
          )}
          {name === "live" ? "Live" : "Test"}
        </Anchor>
      ))}
    </nav>
  );
}

const NAV =
  "fixed inset-x-0 top-13 bottom-auto m-0 w-auto max-h-[calc(100dvh-3.25rem)] max-w-none flex-col gap-0.5 overflow-auto border-line border-b bg-canvas p-3 text-ink shadow-overlay open:flex " +
  "lg:static lg:flex lg:max-h-none lg:min-h-0 lg:w-full lg:flex-1 lg:border-0 lg:p-0 lg:shadow-none";
