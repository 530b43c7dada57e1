import type { MetadataRoute } from "next";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";

/** The pages that anybody may read. */
export default function sitemap(): MetadataRoute.Sitemap {
  return [{ url: `${getServices().config.baseUrl}/` }];
}
