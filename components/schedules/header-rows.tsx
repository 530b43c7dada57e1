"use client";

import { Plus, X } from "lucide";
import type { ClipboardEvent } from "react";
import { readHeaderText, type WrittenHeader } from "#domain/header-text.ts";
import { type DraftHeader, HEADER_ROWS_MAX } from "#domain/schedule-draft.ts";
import { Button } from "../ui/button.tsx";
import { BareField, FieldError } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";

/** The custom headers of a request, one row each. Without scripts the server adds rows, and an empty row counts as none. */
export function HeaderRows({
  headers,
  errors,
  onChange,
}: {
  headers: readonly DraftHeader[];
  /** By the `id` of the field of the name: `header-0`, `header-1`, … */
  errors: Readonly<Record<string, string | undefined>>;
  onChange: (headers: readonly DraftHeader[], changed?: string) => void;
}) {
  const set = (at: number, change: Partial<DraftHeader>) =>
    onChange(
      headers.map((header, row) => (row === at ? { ...header, ...change } : header)),
      `header-${at}`,
    );
  const paste = (at: number, event: ClipboardEvent) => {
    const pasted = readHeaderText(event.clipboardData.getData("text"));
    const rows = pasted && withPasted(headers, at, pasted);
    if (!rows || rows.length > HEADER_ROWS_MAX) return;
    event.preventDefault();
    onChange(rows, `header-${at}`);
  };
  return (
    <fieldset className="grid min-w-0 grid-cols-1 gap-1.5">
      <legend className="pb-1.5 font-medium text-sm">Headers</legend>
      {headers.map(({ name, value }, at) => {
        const id = `header-${at}`;
        const error = errors[id];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
          <div key={at} className="grid gap-1">
            <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_1.75rem] items-center gap-1.5">
              <BareField
                id={id}
                name="headerName"
                mono
                value={name}
                isInvalid={error !== undefined}
                aria-label={`Name of header ${at + 1}`}
                aria-describedby={error && `${id}-error`}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                onChange={(event) => set(at, { name: event.target.value })}
                onPaste={(event) => paste(at, event)}
              />
              <BareField
                name="headerValue"
                mono
                value={value}
                aria-label={`Value of header ${at + 1}`}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => set(at, { value: event.target.value })}
              />
              <button
                type="button"
                aria-label={`Remove header ${at + 1}`}
                className="inline-flex size-7 cursor-pointer items-center justify-center rounded-sm text-ink-muted hover:bg-hover hover:text-ink noscript:hidden"
                onClick={() => onChange(headers.filter((_, row) => row !== at))}
              >
                <Icon of={X} small />
              </button>
            </div>
            {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
          </div>
        );
      })}
      <div>
        <Button
          type="submit"
          name="intent"
          value="add-header"
          formNoValidate
          size="small"
          disabled={headers.length >= HEADER_ROWS_MAX}
          onClick={(event) => {
            event.preventDefault();
            onChange([...headers, { name: "", value: "" }]);
          }}
        >
          <Icon of={Plus} small />
          Add header
        </Button>
      </div>
      <p className="text-ink-muted text-xs leading-4.5 noscript:hidden">
        Paste several at once into a name: JSON, what Node.js prints, curl&rsquo;s -H, or lines with Name: value.
      </p>
    </fieldset>
  );
}

/** The rows with pasted headers in place of row `at` if that is empty, and of those with the same name. */
function withPasted(rows: readonly DraftHeader[], at: number, pasted: readonly WrittenHeader[]): DraftHeader[] {
  const names = new Set(pasted.map(({ name }) => name.toLowerCase()));
  const keep = ({ name, value }: DraftHeader) => (name !== "" || value !== "") && !names.has(name.toLowerCase());
  return [...rows.slice(0, at).filter(keep), ...pasted, ...rows.slice(at).filter(keep)];
}
