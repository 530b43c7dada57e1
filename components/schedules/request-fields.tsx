"use client";

import type { ReactNode } from "react";
import { DRAFT_METHODS, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { HeaderRows } from "./header-rows.tsx";
import { PayloadField } from "./payload-field.tsx";
import { isTarget, UrlCheck } from "./url-check.tsx";

/** The fields of the request: method, URL, headers and payload. `onChange` gets the name of the changed field. */
export function RequestFields({
  draft,
  errors,
  mayAllowMore,
  payloadBytesMax,
  onChange,
}: {
  draft: ScheduleDraft;
  errors: Readonly<Record<string, string | undefined>>;
  mayAllowMore: boolean;
  payloadBytesMax: number;
  onChange: (change: Partial<ScheduleDraft>, field?: string) => void;
}) {
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-[7rem_minmax(0,1fr)] sm:gap-2">
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
        <TextField
          id="url"
          name="url"
          label="URL"
          mono
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="https://example.com/hooks/trial-ends"
          value={draft.url}
          onChange={(event) => onChange({ url: event.target.value }, "url")}
          error={errors.url ?? urlError(draft.url, mayAllowMore)}
          hint={<UrlCheck url={draft.url} mayAllowMore={mayAllowMore} />}
        />
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
function urlError(url: string, mayAllowMore: boolean): ReactNode {
  const isHalf = /^(?:h|ht|htt|http|https|https:|https:\/|https:\/\/[\w-]*)?$/i.test(url.trim());
  if (isHalf || mayAllowMore || isTarget(url)) return undefined;
  return <UrlCheck url={url} mayAllowMore={false} />;
}
