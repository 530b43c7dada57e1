import { BookOpen } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import type { DocHeading } from "./headings.ts";

export type DocsGroup = { title: string; links: readonly { href: string; label: string }[] };

/**
 * The columns of the documentation: all pages, the text, and the outline of the page with further links. Below 1024 px
 * the first is a menu, and of the last only the links remain, below the text.
 */
export function DocsLayout({
  groups,
  current,
  outline,
  more = [],
  search,
  children,
}: {
  groups: readonly DocsGroup[];
  /** The path of this page. */
  current: string;
  outline: readonly DocHeading[];
  more?: readonly { href: string; label: string }[];
  /** The form above the pages. */
  search?: ReactNode;
  children: ReactNode;
}) {
  // The group of this page is open; where none has it, the first.
  const open = groups.find(({ links }) => links.some(({ href }) => href === current)) ?? groups[0];
  return (
    <div className="grid grid-cols-1 gap-x-12 gap-y-6 pt-6 lg:grid-cols-[11rem_minmax(0,1fr)_10rem]">
      <div className="grid content-start gap-3 self-start lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)] lg:grid-rows-[auto_minmax(0,1fr)]">
        {search}
        <details className="docs-pages">
          <summary>
            <Icon of={BookOpen} />
            All pages
          </summary>
          <nav aria-label="Documentation">
            {groups.map((group) => (
              <details key={group.title} open={group === open} className="docs-entries">
                <summary>{group.title}</summary>
                {group.links.map(({ href, label }) => (
                  <a key={href} href={href} {...(href === current && { "aria-current": "page" })}>
                    {label}
                  </a>
                ))}
              </details>
            ))}
          </nav>
        </details>
      </div>
      <article className="grid min-w-0 max-w-184 grid-cols-1 content-start gap-4 text-lg leading-6.5 [&_p]:text-pretty">
        {children}
      </article>
      <div className="grid max-h-[calc(100dvh-3rem)] content-start gap-2 self-start overflow-y-auto text-sm lg:sticky lg:top-6">
        {outline.length > 0 && (
          <nav aria-label="On this page" className="hidden content-start gap-2 lg:grid">
            <p className="text-ink-muted text-xs">On this page</p>
            {outline.map(({ id, text }) => (
              <a key={id} href={`#${id}`} className={BESIDE}>
                {text}
              </a>
            ))}
            {more.length > 0 && <hr className="border-line" />}
          </nav>
        )}
        {more.map(({ href, label }) => (
          <a key={href} href={href} className={BESIDE}>
            {label}
          </a>
        ))}
      </div>
    </div>
  );
}

const BESIDE = "inline-flex min-h-6 items-center text-ink-soft hover:text-ink hover:underline";
