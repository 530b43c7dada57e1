import type { ReactNode } from "react";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { RelativeTime } from "../ui/time.tsx";

const FORMER_MS = 86_400_000;

/** A rotation in three steps; the third says until when the former secret also signs. */
export function RotationSteps({
  env,
  rotatedAt,
  now,
  zone,
  rotateHref,
}: {
  env: string;
  rotatedAt: Date | null;
  now: Date;
  zone: string;
  rotateHref: string;
}) {
  const formerUntil = rotatedAt && new Date(rotatedAt.getTime() + FORMER_MS);
  const signsTwice = formerUntil !== null && formerUntil > now;
  return (
    <Card aria-labelledby="rotate">
      <CardHead title="Rotate" id="rotate" />
      <CardBody>
        <ol className="grid gap-4">
          <Step at={1} title="Install both">
            <p>Put current and next at every receiver.</p>
          </Step>
          <Step at={2} title="Rotate">
            <p>Next becomes current, and a new next is made. For 24 h each request carries both signatures.</p>
            <p className="pt-2">
              <ButtonLink size="small" href={rotateHref}>
                Rotate {env} secrets
              </ButtonLink>
            </p>
          </Step>
          <Step at={3} title="Remove the old one" isCurrent={signsTwice}>
            {signsTwice ? (
              <p>
                The former secret signs too, and stops <RelativeTime at={formerUntil} now={now} zone={zone} />. Put the
                new next beside the current one; then remove the former.
              </p>
            ) : (
              <p>After 24 h, put the new next beside the new current.</p>
            )}
          </Step>
        </ol>
      </CardBody>
    </Card>
  );
}

function Step({
  at,
  title,
  isCurrent = false,
  children,
}: {
  at: number;
  title: string;
  isCurrent?: boolean;
  children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3" aria-current={isCurrent ? "step" : undefined}>
      <span
        className={`flex size-6 items-center justify-center rounded-full border text-xs ${isCurrent ? "border-accent bg-accent-soft text-accent" : "border-line text-ink-muted"}`}
        aria-hidden="true"
      >
        {at}
      </span>
      <div className="grid gap-0.5 text-sm">
        <b className="font-medium leading-6">{title}</b>
        <div className="text-ink-soft">{children}</div>
      </div>
    </li>
  );
}
