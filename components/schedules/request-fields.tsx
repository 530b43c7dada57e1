"use client";

import type { ReactNode } from "react";
import type { Environment } from "#domain/environment.ts";
import { DRAFT_METHODS, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { SelectField } from "../ui/field.tsx";
import { HeaderRows } from "./header-rows.tsx";
import { PayloadField } from "./payload-field.tsx";
import { isTarget, UrlCheck } from "./url-check.tsx";
import { UrlField } from "./url-field.tsx";

/** The fields of the request: URL, method, headers and payload. `onChange` gets the name of the changed field. */
export function RequestFields({
  draft,
  env,
  errors,
  mayAllowMore,
  payloadBytesMax,
  onChange,
}: {
  draft: ScheduleDraft;
  env: Environment;
  errors: Readonly<Record<string, string | undefined>>;
  mayAllowMore: boolean;
  payloadBytesMax: number;
  onChange: (change: Partial<ScheduleDraft>, field?: string) => void;
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
      <HeaderRows headers={draft.headers} errors={errors} onChange={(headers, field) => onChange({ headers }, field)} />
      <PayloadField
        draft={draft}
        bytesMax={payloadBytesMax}
        error={errors.payload}
        onChange={(change) => onChange(change, "payload")}
      />
    </>
  );
}

/** The error of the typed URL; none while its scheme is still being typed. */
function urlError(url: string, env: Environment, mayAllowMore: boolean): ReactNode {
  const isHalf = /^(?:h|ht|htt|http|https|https:|https:\/|https:\/\/[\w-]*)?$/i.test(url.trim());
  if (isHalf || mayAllowMore || isTarget(url, env)) return undefined;
  return <UrlCheck url={url} env={env} mayAllowMore={false} />;
}
