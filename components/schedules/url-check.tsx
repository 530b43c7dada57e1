"use client";

import { Check } from "lucide";
import type { Environment } from "#domain/environment.ts";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";
import { Icon } from "../ui/icon.tsx";

/**
 * Checks the typed URL by the rule of the API, but without the operator's own list of targets, which only the server
 * knows (`mayAllowMore`: it allows some).
 */
export function UrlCheck({ url, env, mayAllowMore }: { url: string; env: Environment; mayAllowMore: boolean }) {
  if (url.trim() === "") return "Public https:// addresses, port 443 or 80.";
  const checked = validateTarget(url.trim(), NO_POLICY, env);
  if (!checked.ok) {
    const reason = checked.reason.replace(/^targetUrl /, "The URL ");
    return mayAllowMore ? `${reason}, unless this installation allows it.` : `${reason}.`;
  }
  return (
    <span className="flex gap-1.5 text-ok">
      <Icon of={Check} small className="mt-0.5" />
      {checked.origin === LISTEN_ORIGIN
        ? "A connected listener receives it."
        : `https, port ${checked.port}, a public host. Its address is checked again at every connection.`}
    </span>
  );
}

/** Whether the API would accept a target that is in no list of the operator. */
export function isTarget(url: string, env: Environment): boolean {
  return validateTarget(url.trim(), NO_POLICY, env).ok;
}

const NO_POLICY = parseTargetPolicy("", "");
