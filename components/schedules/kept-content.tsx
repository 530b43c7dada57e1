"use client";

import type { ReactNode } from "react";
import type { RequestDraft } from "#domain/schedule-draft.ts";
import { formatBytes } from "../format/number.ts";
import { Checkbox } from "../ui/choice.tsx";
import { HeaderRows } from "./header-rows.tsx";
import { PayloadField } from "./payload-field.tsx";

const HIDDEN_HINT = "They are encrypted, and not shown.";

/** The fields of headers and payload. With `kept`, what is stored can stay in place of either; `of` says whose that is. */
export function KeptContent({
  kept,
  headersHint = HIDDEN_HINT,
  draft,
  errors,
  payloadBytesMax,
  onChange,
}: {
  kept: { of: string; payloadSizeBytes: number } | undefined;
  headersHint?: ReactNode;
  draft: RequestDraft;
  errors: Readonly<Record<string, string | undefined>>;
  payloadBytesMax: number;
  onChange: (change: Partial<RequestDraft>, field?: string) => void;
}) {
  return (
    <>
      <div className="group/headers grid grid-cols-1 gap-2">
        {kept && (
          <Checkbox
            name="keepsHeaders"
            value="1"
            checked={draft.keepsHeaders}
            onChange={(event) => onChange({ keepsHeaders: event.target.checked })}
            label={`The headers ${kept.of}`}
            hint={headersHint}
          />
        )}
        <div className="group-has-[[name=keepsHeaders]:checked]/headers:hidden">
          <HeaderRows
            headers={draft.headers}
            errors={errors}
            onChange={(headers, field) => onChange({ headers }, field)}
          />
        </div>
      </div>
      <div className="group/payload grid grid-cols-1 gap-2">
        {kept && (
          <Checkbox
            name="keepsPayload"
            value="1"
            checked={draft.keepsPayload}
            onChange={(event) => onChange({ keepsPayload: event.target.checked })}
            label={`The payload ${kept.of}${kept.payloadSizeBytes > 0 ? `, ${formatBytes(kept.payloadSizeBytes)}` : ", which is empty"}`}
            hint="It is encrypted, and not shown."
          />
        )}
        <div className="group-has-[[name=keepsPayload]:checked]/payload:hidden">
          <PayloadField
            draft={draft}
            bytesMax={payloadBytesMax}
            error={errors.payload}
            onChange={(change) => onChange(change, "payload")}
          />
        </div>
      </div>
    </>
  );
}
