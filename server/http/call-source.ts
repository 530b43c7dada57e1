import { maskedNetwork } from "#domain/caller-address.ts";
import type { CallSource } from "#domain/security-events.ts";
import { callerAddressOf } from "./caller-address.ts";

const USER_AGENT_LENGTH_MAX = 300;

/** Where a request came from, as the security log keeps it. */
export function callSourceOf(request: Pick<Request, "headers">): CallSource {
  const address = callerAddressOf(request);
  return { network: address === null ? null : maskedNetwork(address), userAgent: userAgentOf(request) };
}

/** The `User-Agent`, cleaned and cut for storage; null when it is missing. */
function userAgentOf({ headers }: Pick<Request, "headers">): string | null {
  return (
    headers
      .get("user-agent")
      ?.replace(/\p{Cc}/gu, " ")
      .slice(0, USER_AGENT_LENGTH_MAX) || null
  );
}
