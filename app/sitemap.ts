import type { MetadataRoute } from "next";
import { services } from "#server/services.ts";

export const dynamic = "force-dynamic";

/** The pages that anybody may read. */
export default function sitemap(): MetadataRoute.Sitemap {
  return [{ url: `${services().config.baseUrl}/` }];
}
