import { isLoopbackAddress } from "#domain/caller-address.ts";
import type { Reply } from "../http/reply.ts";
import { readSocketAddress } from "../http/socket-address.ts";
import { getServices } from "../services.ts";
import { hasMetricsToken } from "./metrics-token.ts";
import { type Readiness, readReadiness } from "./readiness.ts";

/**
 * The reply of /readyz. Why it is not ready names roles, databases and statements: only who has the token of METRICS_TOKEN, or
 * asks on the machine itself and through no proxy, is told. Others get fixed words.
 */
export async function readinessReply({ headers }: Pick<Request, "headers">): Promise<Reply> {
  const found = await readReadiness();
  const body = found.reason === undefined || isOperator(headers) ? found : { ...found, reason: fixedWords(found) };
  return { status: body.status === "unavailable" ? 503 : 200, body };
}

function isOperator(headers: Headers): boolean {
  if (hasMetricsToken(headers, getServices().config)) return true;
  const isForwarded = ["forwarded", "x-forwarded-for", "via"].some((name) => headers.has(name));
  return !isForwarded && isLoopbackAddress(readSocketAddress(headers) ?? "");
}

function fixedWords({ status, checks }: Readiness): string {
  if (status === "degraded") return "An operator should look at the database.";
  return checks.database === "ok" ? "No dispatcher is alive." : "The database does not take writes.";
}
