"use client";

import { Check } from "lucide";
import type { ReactNode } from "react";
import type { Environment } from "#domain/environment.ts";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { DRAFT_METHODS, type RequestDraft } from "#domain/schedule-draft.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";
import { SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { KeptContent } from "./kept-content.tsx";
import { UrlField } from "./url-field.tsx";

/** The fields of the request: URL, method, headers and payload. `onChange` gets the name of the changed field. */
export function RequestFields({
  draft,
  env,
  errors,
  mayAllowMore,
  payloadBytesMax,
  kept,
  onChange,
}: {
  draft: RequestDraft;
  env: Environment;
  errors: Readonly<Record<string, string | undefined>>;
  mayAllowMore: boolean;
  payloadBytesMax: number;
  /** What is stored already, and can stay. */
  kept?: { of: string; payloadSizeBytes: number };
  onChange: (change: Partial<RequestDraft>, field?: string) => void;
}) {
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-[minmax(0,1fr)_7rem] sm:gap-2">
        <UrlField
          placeholder="https://example.com/hooks/trial-ends"
          value={draft.url}
          onChange={(url) => onChange({ url }, "url")}
          error={errors.url ?? urlError(draft.url, env, mayAllowMore)}
          hint={<UrlCheck url={draft.url} env={env} mayAllowMore={mayAllowMore} />}
        />
        <SelectField
          id="method"
          name="method"
          label="Method"
          value={draft.method}
          onChange={(event) => onChange({ method: event.target.value })}
        >
          {DRAFT_METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
      </div>
      <KeptContent kept={kept} draft={draft} errors={errors} payloadBytesMax={payloadBytesMax} onChange={onChange} />
    </>
  );
}

/** The error of the typed URL; none while its scheme is still being typed. */
function urlError(url: string, env: Environment, mayAllowMore: boolean): ReactNode {
  const isHalf = /^(?:h|ht|htt|http|https|https:|https:\/|https:\/\/[\w-]*)?$/i.test(url.trim());
  if (isHalf || mayAllowMore || isTarget(url, env)) return undefined;
  return <UrlCheck url={url} env={env} mayAllowMore={false} />;
}

/**
 * Checks the typed URL by the rule of the API, but without the operator's own list of targets, which only the server
 * knows (`mayAllowMore`: it allows some).
 */
function UrlCheck({ url, env, mayAllowMore }: { url: string; env: Environment; mayAllowMore: boolean }) {
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
function isTarget(url: string, env: Environment): boolean {
  return validateTarget(url.trim(), NO_POLICY, env).ok;
}

const NO_POLICY = parseTargetPolicy("", "");
