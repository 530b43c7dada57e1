import type { PageConfig } from "next";
import { DOC_PAGES } from "#server/docs/pages.ts";
import { showDocPage } from "../../app/(public)/docs/docs-page.tsx";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(() => showDocPage(DOC_PAGES[0]));
