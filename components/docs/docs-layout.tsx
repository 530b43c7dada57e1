import { BookOpen } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import type { DocHeading } from "./headings.ts";

export type DocsGroup = { title: string; links: readonly { href: string; label: string }[] };

/**
 * The columns of the documentation: all pages, the text, and the outline of the page. Below 1024 px the first is a
 * menu, and the last is left out.
 */
export function DocsLayout({
  groups,
  current,
  outline,
  more,
  children,
}: {
  groups: readonly DocsGroup[];
  /** The path of this page. */
  current: string;
  outline: readonly DocHeading[];
  /** Further links below the outline. */
  more?: readonly { href: string; label: string }[];
  children: ReactNode;
}) {
  return (
    <div className="grid grid-cols-1 gap-x-12 gap-y-6 pt-6 lg:grid-cols-[11rem_minmax(0,1fr)_10rem]">
      <details className="rounded-md border border-line lg:hidden">
        <summary className="flex min-h-8 cursor-pointer items-center justify-center gap-2 text-sm">
          <Icon of={BookOpen} />
          All pages
        </summary>
        <nav aria-label="All pages" className="border-line border-t p-2">
          <Pages groups={groups} current={current} />
        </nav>
      </details>
      <nav
        aria-label="Documentation"
        className="sticky top-6 hidden max-h-[calc(100dvh-3rem)] self-start overflow-y-auto lg:block"
      >
        <Pages groups={groups} current={current} />
      </nav>
      <article className="grid min-w-0 max-w-184 grid-cols-1 content-start gap-4 text-lg leading-6.5 [&_p]:text-pretty">
        {children}
      </article>
      {outline.length > 0 && (
        <nav
          aria-label="On this page"
          className="sticky top-6 hidden max-h-[calc(100dvh-3rem)] content-start gap-2 self-start overflow-y-auto text-sm lg:grid"
        >
          <p className="text-ink-muted text-xs">On this page</p>
          {outline.map(({ id, text }) => (
            <a key={id} href={`#${id}`} className={BESIDE}>
              {text}
            </a>
          ))}
          {more && <hr className="border-line" />}
          {more?.map(({ href, label }) => (
            <a key={href} href={href} className={BESIDE}>
              {label}
            </a>
          ))}
        </nav>
      )}
    </div>
  );
}

function Pages({ groups, current }: { groups: readonly DocsGroup[]; current: string }) {
  return groups.map(({ title, links }) => (
    <div key={title} className="docs-entries">
      <p className="px-2 pt-3 pb-1 text-2xs text-ink-muted tracking-label">{title}</p>
      {links.map(({ href, label }) => (
        <a key={href} href={href} {...(href === current && { "aria-current": "page" })}>
          {label}
        </a>
      ))}
    </div>
  ));
}

const BESIDE = "inline-flex min-h-6 items-center text-ink-soft hover:text-ink hover:underline";
