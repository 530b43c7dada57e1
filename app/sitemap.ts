import type { MetadataRoute } from "next";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";

/** The public pages. */
export default function sitemap(): MetadataRoute.Sitemap {
  return ["/", "/status"].map((path) => ({ url: getServices().config.baseUrl + path }));
}
