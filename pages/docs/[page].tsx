import type { PageConfig } from "next";
import { DOC_PAGES, docHref, findDocPage, findMovedPage } from "#server/docs/pages.ts";
import { showDocPage } from "../../app/(public)/docs/docs-page.tsx";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(({ params: { page: slug = "" } }) => {
  const page = findDocPage(slug);
  const moved = page === DOC_PAGES[0] ? page : findMovedPage(slug);
  if (moved !== undefined) return { redirect: { destination: docHref(moved), permanent: true } };
  return showDocPage(page);
});
