"use client";

import { isSameOrigin, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { formatBytes } from "../format/number.ts";
import { Checkbox } from "../ui/choice.tsx";
import { Facts } from "../ui/facts.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { HeaderRows } from "./header-rows.tsx";
import { PayloadField } from "./payload-field.tsx";
import { UrlField } from "./url-field.tsx";

/** The schedule that a clone is made from. */
export type Cloned = {
  id: string;
  href: string;
  method: string;
  targetUrl: string;
  payloadSizeBytes: number;
  isErased: boolean;
  /** The page that asks for a newer sign-in; null when the sign-in is new enough for another URL. */
  signInHref: string | null;
};

/** The request of a clone: the original's method, and fields for another URL, another payload and other headers. */
export function ClonedRequest({
  cloned,
  draft,
  errors,
  payloadBytesMax,
  onChange,
}: {
  cloned: Cloned;
  draft: ScheduleDraft;
  errors: Readonly<Record<string, string | undefined>>;
  payloadBytesMax: number;
  onChange: (change: Partial<ScheduleDraft>, field?: string) => void;
}) {
  const { isErased, payloadSizeBytes } = cloned;
  const goesAlong = isSameOrigin(draft.url, cloned.targetUrl);
  return (
    <>
      <Facts
        items={[
          [
            "Original",
            <TextLink key="original" standalone href={cloned.href} className="font-mono text-xs">
              {cloned.id}
            </TextLink>,
          ],
          [
            "Method",
            <span key="method" className="font-mono text-xs">
              {cloned.method}
            </span>,
          ],
        ]}
      />
      <UrlField
        readOnly={cloned.signInHref !== null}
        value={draft.url}
        onChange={(url) => onChange({ url }, "url")}
        error={errors.url}
        hint={
          cloned.signInHref === null ? (
            "The stored payload goes along to another URL and is still not shown. The security log records it."
          ) : (
            <>
              Another URL needs a sign-in of the last day. <TextLink href={cloned.signInHref}>Sign in again</TextLink>
            </>
          )
        }
      />
      {isErased && (
        <p className="text-ink-muted text-sm">
          Its payload and headers were erased at the end of the plan&rsquo;s retention.
        </p>
      )}
      <div className="group/headers grid grid-cols-1 gap-2">
        {!isErased && (
          <Checkbox
            name="keepsHeaders"
            value="1"
            checked={draft.keepsHeaders}
            onChange={(event) => onChange({ keepsHeaders: event.target.checked })}
            label="The headers of the original"
            hint={
              goesAlong
                ? `They are encrypted, and not shown. They go along only to ${new URL(cloned.targetUrl).origin}.`
                : `None goes along: they go only to ${new URL(cloned.targetUrl).origin}, and this is another scheme, host or port.`
            }
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
        {!isErased && (
          <Checkbox
            name="keepsPayload"
            value="1"
            checked={draft.keepsPayload}
            onChange={(event) => onChange({ keepsPayload: event.target.checked })}
            label={`The payload of the original${payloadSizeBytes > 0 ? `, ${formatBytes(payloadSizeBytes)}` : ", which is empty"}`}
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
