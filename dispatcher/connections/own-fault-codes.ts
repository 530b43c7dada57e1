import { isResourceCode } from "../runtime/resource-codes.ts";
import { TimedOut } from "./address-race.ts";

/** What of this machine keeps it from connecting. */
export type OwnFault = "IPv4 network" | "IPv6 network" | "name servers" | "resources";

type Coded = Error & { code?: string };

/** The system itself says these when its network is away. A router on the way may say the first. */
const NO_NETWORK = new Set(["ENETUNREACH", "ENETDOWN", "EPERM", "EACCES", "EAFNOSUPPORT"]);
/** These have another cause, unless the system knows no way to the address. */
const NO_NETWORK_WITHOUT_ROUTE = new Set(["EHOSTUNREACH", "EINVAL", "EADDRNOTAVAIL"]);
const SILENCE = new Set(["ETIMEDOUT", "EHOSTUNREACH"]);

/**
 * What a failed try says: that this machine lacks its network or something else, that nothing came from the address, or
 * that something did.
 */
export type Meaning = "network" | "resources" | "silence" | "answer";

/** What a failed try to connect means. `hasRoute` is asked where the code alone does not tell. */
export async function meaningOf(error: Coded, hasRoute: () => Promise<boolean>): Promise<Meaning> {
  const { code = "" } = error;
  if (error instanceof TimedOut) return "silence";
  if (isResourceCode(code)) return "resources";
  if (NO_NETWORK.has(code)) return "network";
  if (NO_NETWORK_WITHOUT_ROUTE.has(code) && !(await hasRoute())) return "network";
  // With a route, all local ports to this address are in use.
  if (code === "EADDRNOTAVAIL") return "resources";
  return SILENCE.has(code) ? "silence" : "answer";
}

const UNANSWERED = new Set(["ECONNREFUSED", "ETIMEOUT", "ESERVFAIL", "EREFUSED", "EAI_AGAIN", "EAI_FAIL"]);

/** Whether a name is unknown because its question was not answered. */
export const isUnanswered = (error: Coded): boolean => error instanceof TimedOut || UNANSWERED.has(error.code ?? "");

/**
 * Whether name servers that fail with `code` for any name are away, by the failure for one name. Those that refuse any
 * name may still answer for some, unless they have refused that one too.
 */
export const areAway = (code: string, { code: codeOfName }: Coded): boolean =>
  UNANSWERED.has(code) && (code !== "EREFUSED" || codeOfName === "EREFUSED");

/** Whether the name servers have said that there is no such name, or no such record. */
export const isAnswered = ({ code }: Coded): boolean => code === "ENOTFOUND" || code === "ENODATA";

/** The code of a failure, in words where the system gave none. */
export const codeOf = (error: Coded): string => (error instanceof TimedOut ? "timed out" : (error.code ?? "failed"));

/** What is wrong, for operators. */
export function describeOwnFault(fault: OwnFault, code: string): string {
  const network = `This machine cannot reach its ${fault} (${code}): look at its interfaces, routes and firewall`;
  const texts: Record<OwnFault, string> = {
    "IPv4 network": network,
    "IPv6 network": network,
    "name servers": `The name servers of this machine do not answer (${code}): look at its network and its resolver`,
    resources: `This machine can open no more connections (${code}): raise the limit of open files or of local ports`,
  };
  return `${texts[fault]}. Deliveries wait for it without using up a retry, and go on by themselves.`;
}
