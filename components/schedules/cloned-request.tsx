"use client";

import type { DeliveryText } from "#domain/delivery-text.ts";
import { isSameOrigin, type RequestDraft } from "#domain/schedule-draft.ts";
import { Facts } from "../ui/facts.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { KeptContent } from "./kept-content.tsx";
import { UrlField } from "./url-field.tsx";

/** The schedule that a clone is made from. */
export type Cloned = {
  id: string;
  href: string;
  method: string;
  targetUrl: string;
  payloadSizeBytes: number;
  /** Its delivery options. */
  delivery: DeliveryText;
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
  draft: RequestDraft;
  errors: Readonly<Record<string, string | undefined>>;
  payloadBytesMax: number;
  onChange: (change: Partial<RequestDraft>, field?: string) => void;
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
      <KeptContent
        kept={isErased ? undefined : { of: "of the original", payloadSizeBytes }}
        headersHint={
          goesAlong
            ? `They are encrypted, and not shown. They go along only to ${new URL(cloned.targetUrl).origin}.`
            : `None goes along: they go only to ${new URL(cloned.targetUrl).origin}, and this is another scheme, host or port.`
        }
        draft={draft}
        errors={errors}
        payloadBytesMax={payloadBytesMax}
        onChange={onChange}
      />
    </>
  );
}
