import { LISTEN_ORIGIN } from "../../../domain/listen-origin.ts";
import type { ListenPlan } from "./listen-options.ts";

/** What is said once the service has taken the listener. Of the signing secret only the end, to compare it. */
export function readyText(
  { destination, paths }: ListenPlan,
  { url, scope, secret, hasKeys }: { url: string; scope: string; secret: string | undefined; hasKeys: boolean },
): string {
  const facts = [
    ["installation", url],
    ["scope", scope === "all" ? "all: every test delivery of the account" : `reserved: ${LISTEN_ORIGIN}/…`],
    ["path", paths.join(", ") || "any"],
    ["goes to", "to" in destination ? destination.to.href : `the command ${destination.exec}`],
    ["secret", secret === undefined ? "unknown" : `…${secret.slice(-4)}`],
    ...(hasKeys ? [["keys", "r replays the last delivery, o prints its body, q ends"]] : []),
  ];
  return ["Ready", ...facts.map(([name, value]) => `  ${name?.padEnd(12)}  ${value}`)].join("\n");
}
