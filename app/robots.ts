import type { MetadataRoute } from "next";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";

export default function robots(): MetadataRoute.Robots {
  return {
    rules: { userAgent: "*", allow: ["/", "/v1/openapi.json"], disallow: ["/v1/", "/try/"] },
    sitemap: `${getServices().config.baseUrl}/sitemap.xml`,
  };
}
