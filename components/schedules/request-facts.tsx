import type { ReactNode } from "react";
import type { Environment } from "#domain/environment.ts";
import { formatBytes } from "../format/number.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { Tag } from "../ui/tag.tsx";
import { TextLink } from "../ui/text-link.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/** What a schedule sends, as far as it is shown. `originalHref` is the page of the schedule that it was made from. */
export function RequestFacts({
  schedule,
  env,
  originalHref,
}: {
  schedule: ShownSchedule;
  env: Environment;
  originalHref?: string;
}) {
  const { id, method, targetUrl, payloadSizeBytes, isErased, hasContent, earlyFire, idempotencyKey, replayOf } =
    schedule;
  return (
    <Card>
      <CardHead title="Request">
        <Tag kind={env}>{env}</Tag>
      </CardHead>
      <CardBody className="py-1.5!">
        <Facts
          items={[
            [
              "Target",
              <WithCopy key="url" text={targetUrl} what="URL">
                <span className="font-mono text-xs">{method}</span> {targetUrl}
              </WithCopy>,
            ],
            ["Payload", payloadInWords(payloadSizeBytes, isErased)],
            [
              "Headers",
              isErased ? "Erased with the payload" : hasContent ? "If any, encrypted with the payload" : "None",
            ],
            ["Early fire", earlyFire ? "On: it leaves ahead, to arrive on time" : "Off"],
            ...(idempotencyKey
              ? [
                  [
                    "Idempotency",
                    <WithCopy key="key" text={idempotencyKey} what="idempotency key">
                      <span className="font-mono text-xs">{idempotencyKey}</span>
                    </WithCopy>,
                  ] as const,
                ]
              : []),
            [
              "Id",
              <WithCopy key="id" text={id} what="id, which is the webhook-id too">
                <span className="font-mono text-xs">{id}</span>
                <span className="block text-ink-muted text-xs">The webhook-id of each attempt is the same.</span>
              </WithCopy>,
            ],
            ...(replayOf && originalHref
              ? [
                  [
                    "Made from",
                    <TextLink key="original" standalone href={originalHref} className="font-mono text-xs">
                      {replayOf}
                    </TextLink>,
                  ] as const,
                ]
              : []),
          ]}
        />
      </CardBody>
    </Card>
  );
}

function WithCopy({ text, what, children }: { text: string; what: string; children: ReactNode }) {
  return (
    <span className="flex items-start justify-between gap-2">
      <span className="min-w-0">{children}</span>
      <Copy text={text} what={what} />
    </span>
  );
}

function payloadInWords(bytes: number, isErased: boolean): string {
  if (isErased) return "Erased at the end of the plan's retention";
  return bytes === 0 ? "None" : `Encrypted, ${formatBytes(bytes)}, never shown`;
}
