import type { PageConfig } from "next";
import type { ReactNode } from "react";
import { DocsSearch } from "#components/docs/docs-search.tsx";
import { SearchResults } from "#components/docs/search-results.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { QUERY_CHARS_MAX, type SearchResult, searchDocs } from "#server/docs/search/search.ts";
import { showDocs } from "../../app/(public)/docs/docs-page.tsx";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(({ query: { q = "" } }) =>
  showDocs({
    title: `${q && q.length <= QUERY_CHARS_MAX ? `${q}, search` : "Search"} in the documentation`,
    current: "/docs/search",
    outline: [],
    isSearch: true,
    children: (
      <>
        <h1 className="text-3xl">Search</h1>
        <DocsSearch q={q.slice(0, QUERY_CHARS_MAX)} charsMax={QUERY_CHARS_MAX} />
        {answerTo(q, searchDocs(q))}
      </>
    ),
  }),
);

function answerTo(q: string, result: SearchResult): ReactNode {
  if (result.kind === "nothing-asked") {
    return (
      <p className="text-ink-soft">For a word of a page, a setting, a field, an error code or a path of the API.</p>
    );
  }
  if (result.kind === "too-long") {
    return (
      <p>{`A search has at most ${QUERY_CHARS_MAX} characters, and this one has ${q.length}. Use fewer words.`}</p>
    );
  }
  if (result.kind === "no-words") return <p>“{q}” has no letter and no digit to look for.</p>;
  const near = result.near && (
    <p>
      Did you mean <TextLink href={`/docs/search?${new URLSearchParams({ q: result.near })}`}>{result.near}</TextLink>?
    </p>
  );
  if (result.hits.length === 0) {
    return (
      <EmptyState title="Nothing found" art="no-match">
        <p className="wrap-anywhere">No page of the documentation has “{q}”.</p>
        {near}
      </EmptyState>
    );
  }
  return (
    <>
      {near}
      <p className="text-ink-soft text-sm">{counted(result)}</p>
      <SearchResults hits={result.hits} />
    </>
  );
}

function counted({ hits, has }: Extract<SearchResult, { kind: "found" }>): string {
  if (has === "some") return "No place has all of these words. These have some of them:";
  return hits.length === 1 ? "1 place" : `${hits.length} places, the best first`;
}
