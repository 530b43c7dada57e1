"use client";

import { Check } from "lucide";
import { byteLength, isJson, type RequestDraft } from "#domain/schedule-draft.ts";
import { formatCount } from "../format/number.ts";
import { Radio } from "../ui/choice.tsx";
import { TextArea } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";

/** The field of the payload, with its size, the plan's limit, and whether it is valid JSON. */
export function PayloadField({
  draft: { payload, payloadKind },
  bytesMax,
  error,
  onChange,
}: {
  draft: Pick<RequestDraft, "payload" | "payloadKind">;
  bytesMax: number;
  error: string | undefined;
  onChange: (change: Partial<RequestDraft>) => void;
}) {
  const bytes = byteLength(payload);
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <TextArea
        id="payload"
        name="payload"
        label="Payload"
        rows={7}
        spellCheck={false}
        value={payload}
        onChange={(event) => onChange({ payload: event.target.value })}
        error={error}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs">
        <fieldset className="flex flex-wrap gap-x-4">
          <legend className="sr-only">Kind of payload</legend>
          {(["json", "text"] as const).map((kind) => (
            <Radio
              key={kind}
              name="payloadKind"
              value={kind}
              label={kind === "json" ? "JSON" : "Text"}
              checked={payloadKind === kind}
              onChange={() => onChange({ payloadKind: kind })}
            />
          ))}
        </fieldset>
        <span className="flex items-center gap-3 text-ink-muted">
          {payloadKind === "json" && payload !== "" && <JsonCheck isValid={isJson(payload)} />}
          <span className={`noscript:hidden ${bytes > bytesMax ? "text-bad" : ""}`}>
            {formatCount(bytes)} of {formatCount(bytesMax)} bytes
          </span>
          <span className="hidden noscript:inline">At most {formatCount(bytesMax)} bytes</span>
        </span>
      </div>
    </div>
  );
}

function JsonCheck({ isValid }: { isValid: boolean }) {
  if (!isValid) return <span className="text-warn">Not valid JSON</span>;
  return (
    <span className="inline-flex items-center gap-1 text-ok">
      <Icon of={Check} small />
      Valid JSON
    </span>
  );
}
