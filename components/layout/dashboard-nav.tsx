import type { ElementType } from "react";
import type { Environment } from "#domain/environment.ts";
import { formatCount } from "../format/number.ts";
import { Icon } from "../ui/icon.tsx";
import { NAV_GROUPS } from "./nav-entries.ts";

/** A number of schedules, or more than that. */
export type Counted = { count: number; isCapped: boolean };

/** The navigation of the dashboard. `waiting` is shown behind the entry of the schedules. */
export function DashboardNav({
  env,
  current,
  isAdmin,
  waiting,
  as: Anchor = "a",
}: {
  /** The environment of the links. */
  env: Environment;
  current: string;
  isAdmin: boolean;
  waiting?: Counted;
  as?: ElementType;
}) {
  return NAV_GROUPS.map(({ title, entries }) => (
    <div key={title ?? ""} className="grid gap-0.5">
      {title && <div className="px-2 pt-3.5 pb-1 text-2xs text-ink-muted tracking-label">{title}</div>}
      <ul className="grid gap-0.5">
        {entries
          .filter(({ isAdmins }) => isAdmin || !isAdmins)
          .map(({ href, label, icon }) => (
            <li key={href}>
              <Anchor
                href={env === "test" ? `${href}?env=test` : href}
                aria-current={isWithin(current, href) ? "page" : undefined}
                className={ENTRY}
              >
                <Icon of={icon} />
                {label}
                {href === "/schedules" && waiting !== undefined && waiting.count > 0 && <Waiting {...waiting} />}
              </Anchor>
            </li>
          ))}
      </ul>
    </div>
  ));
}

function Waiting({ count, isCapped }: Counted) {
  return (
    <span className="ml-auto font-normal text-2xs text-ink-muted">
      <span className="sr-only">, </span>
      {formatCount(count)}
      {isCapped && "+"}
      <span className="sr-only"> still to be sent</span>
    </span>
  );
}

const isWithin = (current: string, href: string) => current === href || current.startsWith(`${href}/`);

const ENTRY =
  "relative flex min-h-7.5 items-center gap-2.5 rounded-md px-2 py-1 text-ink-soft text-sm hover:bg-hover hover:text-ink focus-visible:-outline-offset-2 " +
  "aria-[current]:bg-chosen aria-[current]:font-medium aria-[current]:text-ink aria-[current]:before:absolute aria-[current]:before:left-0 " +
  "aria-[current]:before:h-3.5 aria-[current]:before:w-0.5 aria-[current]:before:rounded-r-sm aria-[current]:before:bg-accent";
