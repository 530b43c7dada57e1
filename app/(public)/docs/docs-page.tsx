import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DocsLayout } from "#components/docs/docs-layout.tsx";
import { type DocHeading, readOutline } from "#components/docs/headings.ts";
import { Markdown } from "#components/docs/markdown.tsx";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { readReference, referenceHref } from "#server/contract/reference.ts";
import { DOC_GROUPS, DOC_PAGES, type DocPage, docHref, docMarkdownHref, linkFromDoc } from "#server/docs/pages.ts";
import { readDocPage } from "#server/docs/read-page.ts";
import { getServices } from "#server/services.ts";
import { answerNotFound } from "../../answer-not-found.ts";
import { publicPage } from "../public-page.tsx";

export function findDocPage(slug: string): DocPage | undefined {
  return DOC_PAGES.find((page) => page.slug === slug);
}

/** The metadata of a page; without one, of `showNoSuchPage`. */
export function docMetadata(page: DocPage | undefined): Metadata {
  if (page === undefined) return MISSING_METADATA;
  return { title: page.title, description: page.description, alternates: { canonical: docHref(page) } };
}

export const MISSING_METADATA: Metadata = { title: "Not found", robots: "noindex" };

/** The 404 page of the documentation, with its navigation. */
export function showNoSuchPage() {
  answerNotFound();
  return showDocs({
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
export async function showDocPage(page: DocPage | undefined) {
  if (page === undefined) return showNoSuchPage();
  const text = await readDocPage(page, getServices().config.baseUrl);
  const next = DOC_PAGES[DOC_PAGES.indexOf(page) + 1];
  return showDocs({
    current: docHref(page),
    outline: readOutline(text),
    more: [{ href: docMarkdownHref(page), label: "As Markdown" }],
    children: (
      <>
        <Markdown text={text} linkTo={linkFromDoc} />
        {next && (
          <p className="mt-4 flex justify-end">
            <ButtonLink href={docHref(next)}>Next: {next.title}</ButtonLink>
          </p>
        )}
      </>
    ),
  });
}

/** The frame of the documentation around `children`. */
export function showDocs({
  children,
  ...rest
}: {
  current: string;
  outline: readonly DocHeading[];
  more?: readonly { href: string; label: string }[];
  children: ReactNode;
}) {
  return publicPage(
    <DocsLayout groups={navigation()} {...rest}>
      {children}
    </DocsLayout>,
  );
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
