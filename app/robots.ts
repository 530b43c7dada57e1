import type { MetadataRoute } from "next";
import { services } from "#server/services.ts";

export const dynamic = "force-dynamic";

export default function robots(): MetadataRoute.Robots {
  return {
    rules: { userAgent: "*", allow: ["/", "/v1/openapi.json"], disallow: "/v1/" },
    sitemap: `${services().config.baseUrl}/sitemap.xml`,
  };
}
