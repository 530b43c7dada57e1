import type { MetadataRoute } from "next";
import { DOC_PAGES, docHref } from "#server/docs/pages.ts";
import { readReference, referenceHref } from "#server/reference/reference.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";

/** The public pages. */
export default function sitemap(): MetadataRoute.Sitemap {
  const { baseUrl } = getServices().config;
  const docs = [...DOC_PAGES.map(docHref), "/docs/api", ...readReference(baseUrl).map(referenceHref)];
  return ["/", "/status", "/login", ...docs].map((path) => ({ url: baseUrl + path }));
}
