import type { ReactNode } from "react";
import type { Environment } from "#domain/environment.ts";
import type { ScheduleCreator } from "#domain/schedule-creator.ts";
import { formatBytes, formatCount } from "../format/number.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Status } from "../ui/status.tsx";
import { Tag } from "../ui/tag.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { DeliveryFacts } from "./delivery-facts.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/** The request of a schedule (no payload), its original its copies, and the operation that made it. `hrefOf` returns the page of a schedule. */
export function RequestFacts({
  schedule,
  env,
  hrefOf,
  operationHref,
  recurrenceHref,
}: {
  schedule: ShownSchedule;
  env: Environment;
  hrefOf: (id: string) => string;
  operationHref?: string | undefined;
  recurrenceHref?: string | undefined;
}) {
  const { id, method, targetUrl, payloadSizeBytes, isErased, hasContent, earlyFire, idempotencyKey } = schedule;
  const { replayOf, copies, creator, delivery, recurrence } = schedule;
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
                <span className="font-mono text-xs">{method}</span> <LongText text={targetUrl} />
              </WithCopy>,
            ],
            ["Payload", payloadInWords(payloadSizeBytes, isErased)],
            [
              "Headers",
              isErased ? "Erased with the payload" : hasContent ? "If any, encrypted with the payload" : "None",
            ],
            ["Early fire", earlyFire ? "On: sent ahead, to arrive on time" : "Off"],
            ...(delivery ? [["Delivery", <DeliveryFacts key="delivery" options={delivery} />] as const] : []),
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
            ...(creator ? [["Created by", <Creator key="creator" creator={creator} />] as const] : []),
            ...(replayOf
              ? [["Made from", <ScheduleLink key="original" id={replayOf} href={hrefOf(replayOf)} />] as const]
              : []),
            ...(recurrenceHref
              ? [
                  [
                    "Recurs by",
                    <TextLink key="recurrence" standalone href={recurrenceHref} className="font-mono text-xs">
                      {recurrence}
                    </TextLink>,
                  ] as const,
                ]
              : []),
            ...(operationHref
              ? [
                  [
                    "Made by",
                    <TextLink key="operation" standalone href={operationHref}>
                      A replay of many
                    </TextLink>,
                  ] as const,
                ]
              : []),
            ...(copies.count > 0
              ? [["Copies", <CopyList key="copies" copies={copies} hrefOf={hrefOf} />] as const]
              : []),
          ]}
        />
      </CardBody>
    </Card>
  );
}

function CopyList({ copies, hrefOf }: { copies: ShownSchedule["copies"]; hrefOf: (id: string) => string }) {
  const { newest, count, isCapped } = copies;
  return (
    <>
      <ul className="grid gap-1">
        {newest.map(({ id, status }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-2">
            <ScheduleLink id={id} href={hrefOf(id)} />
            <Status status={status} />
          </li>
        ))}
      </ul>
      {count > newest.length && (
        <p className="text-ink-muted text-xs">
          The newest of {isCapped && "more than "}
          {formatCount(count)}.
        </p>
      )}
    </>
  );
}

function Creator({ creator }: { creator: ScheduleCreator }) {
  if (creator.kind === "session") return "The dashboard";
  if (creator.kind === "deletedKey") {
    return (
      <>
        An API key that was deleted since, <span className="font-mono text-xs">{creator.id}</span>
      </>
    );
  }
  const { name, prefix, last4, isRevoked } = creator;
  return (
    <>
      <span className="wrap-anywhere">{name}</span>,{" "}
      <code className="whitespace-nowrap text-xs">{`${prefix}…${last4}`}</code>
      {isRevoked && <span className="text-ink-muted"> (revoked)</span>}
    </>
  );
}

function ScheduleLink({ id, href }: { id: string; href: string }) {
  return (
    <TextLink standalone href={href} className="font-mono text-xs">
      {id}
    </TextLink>
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
