import { hash, timingSafeEqual } from "node:crypto";
import type { Config } from "#config.ts";
import { bearerToken } from "../auth/bearer-token.ts";

/** Whether a request has the token of METRICS_TOKEN; false where none is set. */
export function hasMetricsToken(headers: Headers, { metricsToken }: Pick<Config, "metricsToken">): boolean {
  const token = bearerToken(headers.get("authorization") ?? "");
  // Compares digests: timingSafeEqual needs buffers of equal length.
  return token !== undefined && metricsToken !== undefined && timingSafeEqual(digest(token), digest(metricsToken));
}

const digest = (text: string) => hash("sha256", text, "buffer");
