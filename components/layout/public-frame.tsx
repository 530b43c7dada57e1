import type { ReactNode } from "react";
import type { Theme } from "#domain/theme.ts";
import { Mark, Wordmark } from "./mark.tsx";
import { MAIN_ID, SkipLink } from "./skip-link.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

export type FrameLink = { href: string; label: string };

/** The frame of public pages. `action` is the button at the right of the header. */
export function PublicFrame({
  theme,
  links = [],
  footLinks = [],
  action,
  children,
}: {
  theme: Theme;
  links?: readonly FrameLink[];
  footLinks?: readonly FrameLink[];
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <SkipLink />
      <header className={`${WIDTH} flex min-h-15 flex-wrap items-center gap-x-2 gap-y-1 sm:gap-x-5 py-2.5`}>
        <Wordmark />
        {(links.length > 0 || action) && (
          <nav aria-label="Main" className="ml-auto flex items-center gap-1">
            {links.map((link) => (
              <a
                key={link.href}
                href={link.href}
                className="inline-flex min-h-6 items-center px-2 py-1 text-ink-soft text-sm hover:underline sm:text-base"
              >
                {link.label}
              </a>
            ))}
            {action}
          </nav>
        )}
      </header>
      <main id={MAIN_ID} className={WIDTH}>
        {children}
      </main>
      <footer className={WIDTH}>
        <div className="mt-20 flex flex-wrap items-center justify-between gap-x-6 gap-y-4 border-line border-t pt-6 pb-10 text-ink-muted text-sm">
          <span className="flex items-center gap-2">
            <Mark />
            Stopwatch. Apache-2.0, yours to host.
          </span>
          <span className="flex flex-wrap items-center gap-x-6 gap-y-3">
            {footLinks.map((link) => (
              <a
                key={link.href}
                href={link.href}
                className="inline-flex min-h-6 items-center text-ink-soft hover:underline"
              >
                {link.label}
              </a>
            ))}
            <ThemeSwitch theme={theme} />
          </span>
        </div>
      </footer>
    </>
  );
}

const WIDTH = "mx-auto w-full max-w-public px-4 md:px-8";
