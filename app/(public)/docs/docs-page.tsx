import type { ReactNode } from "react";
import { DocsLayout } from "#components/docs/docs-layout.tsx";
import { DocsSearch } from "#components/docs/docs-search.tsx";
import { type DocHeading, readOutline } from "#components/docs/headings.ts";
import { Markdown } from "#components/docs/markdown.tsx";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { DOC_GROUPS, DOC_PAGES, type DocPage, docHref, docMarkdownHref, linkFromDoc } from "#server/docs/pages.ts";
import { readDocPage } from "#server/docs/read-page.ts";
import { readRun } from "#server/docs/runs.ts";
import { QUERY_CHARS_MAX } from "#server/docs/search/search.ts";
import { readReference, referenceHref } from "#server/reference/reference.ts";
import { getServices } from "#server/services.ts";
import type { Shown } from "../serve-page.tsx";

/** The 404 page of the documentation, with its navigation. */
export function showNoSuchPage(): Shown {
  return showDocs({
    title: "Not found",
    status: 404,
    current: "",
    outline: [],
    children: (
      <MissingCard
        title="No such page"
        actions={
          <>
            <ButtonLink href="/docs" kind="primary">
              Start of the documentation
            </ButtonLink>
            <ButtonLink href="/docs/api">API reference</ButtonLink>
          </>
        }
      >
        <p>The documentation has no page at this address. It may have been typed wrong, or moved.</p>
      </MissingCard>
    ),
  });
}

/** A page of docs/ with the navigation of the documentation; `showNoSuchPage` when there is no such page. */
export async function showDocPage(page: DocPage | undefined): Promise<Shown> {
  if (page === undefined) return showNoSuchPage();
  const text = await readDocPage(page, getServices().config.baseUrl);
  const run = await readRun(page);
  const next = DOC_PAGES[DOC_PAGES.indexOf(page) + 1];
  return showDocs({
    title: page.title,
    description: page.description,
    canonical: docHref(page),
    current: docHref(page),
    outline: readOutline(text),
    more: [{ href: docMarkdownHref(page), label: "As Markdown" }],
    children: (
      <>
        <Markdown text={text} linkTo={linkFromDoc} />
        {run && <p className="mt-4 border-line border-t pt-3 text-ink-muted text-sm">{run}</p>}
        {next && (
          <p className="mt-4 flex justify-end">
            <ButtonLink href={docHref(next)}>Next: {next.title}</ButtonLink>
          </p>
        )}
      </>
    ),
  });
}

/** A page of the documentation: `children` in its frame. */
export function showDocs({
  children,
  current,
  outline,
  more,
  isSearch = false,
  ...head
}: Omit<Shown, "body"> & {
  current: string;
  outline: readonly DocHeading[];
  more?: readonly { href: string; label: string }[];
  /** Whether the page has a field for searches of its own. */
  isSearch?: boolean;
  children: ReactNode;
}): Shown {
  const search = !isSearch && <DocsSearch charsMax={QUERY_CHARS_MAX} />;
  const body = (
    <DocsLayout groups={navigation()} search={search} current={current} outline={outline} more={more}>
      {children}
    </DocsLayout>
  );
  return { ...head, body };
}

function navigation() {
  const reference = readReference(getServices().config.baseUrl);
  const groups = DOC_GROUPS.map(({ title, pages }) => ({
    title,
    links: pages.map((page) => ({ href: docHref(page), label: page.title })),
  }));
  const api = [
    { href: "/docs/api", label: "All endpoints" },
    ...reference.map((group) => ({ href: referenceHref(group), label: group.title })),
  ];
  return [...groups, { title: "API", links: api }];
}
