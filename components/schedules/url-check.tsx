"use client";

import { Check } from "lucide";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";
import { Icon } from "../ui/icon.tsx";

/**
 * What the API would say of a target, as it is typed: by the same rule, but without what an operator allows and denies
 * besides, which only the server knows (`mayAllowMore`: it allows some).
 */
export function UrlJudgement({ url, mayAllowMore }: { url: string; mayAllowMore: boolean }) {
  if (url.trim() === "") return "Public https:// addresses, port 443 or 80.";
  const judged = validateTarget(url.trim(), NO_POLICY);
  if (!judged.ok) {
    const reason = judged.reason.replace(/^targetUrl /, "The URL ");
    return mayAllowMore ? `${reason}, unless this installation allows it.` : `${reason}.`;
  }
  return (
    <span className="flex gap-1.5 text-ok">
      <Icon of={Check} small className="mt-0.5" />
      https, port {judged.port}, a public host. Its address is judged again at every connection.
    </span>
  );
}

/** Whether the API would take a target that no operator allows or denies. */
export function isTarget(url: string): boolean {
  return validateTarget(url.trim(), NO_POLICY).ok;
}

const NO_POLICY = parseTargetPolicy("", "");
