import { Check } from "lucide";
import { type ReactNode, useId } from "react";
import type { Environment } from "#domain/environment.ts";
import { firstCallSamples, type Installation } from "../schedules/first-call.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Which of the first steps are done in an environment. */
export type StepsDone = { hasKey: boolean; hasSchedule: boolean; hasSent: boolean };

/**
 * The first steps of a new account: create a key, send a ready-made call, look at its result. A step that is done is ticked
 * and only links to its result.
 */
export function FirstSteps({
  installation,
  env,
  done: { hasKey, hasSchedule, hasSent },
  links,
}: {
  installation: Installation;
  env: Environment;
  done: StepsDone;
  links: { keys: string; newKey: string; newSchedule: string; schedules: string };
}) {
  const id = useId();
  return (
    <Card aria-labelledby={id}>
      <CardHead id={id} title={titleOf({ hasKey, hasSchedule, hasSent })} />
      <CardBody>
        <ol className="grid gap-6">
          <Step at={1} title="Create an API key" isDone={hasKey}>
            {hasKey ? (
              <p className="text-ink-soft">
                There is one for {env}. If you did not save it, rotate it in{" "}
                <TextLink href={links.keys}>API keys</TextLink>.
              </p>
            ) : (
              <>
                <p className="text-ink-soft">
                  It is shown once. This page is of the {env} environment, so create a key for {env}.
                </p>
                <ButtonLink href={links.newKey}>New key</ButtonLink>
              </>
            )}
          </Step>
          <Step at={2} title="Hand over a request and an instant" isDone={hasSchedule}>
            {!hasSchedule && (
              <>
                <div className="grid w-full max-w-152 grid-cols-1">
                  <CodeTabs what="First API request" samples={firstCallSamples(installation, env)} />
                </div>
                <p className="text-ink-soft">
                  Its target accepts any request; replace it with a URL of yours later. Or{" "}
                  <TextLink href={links.newSchedule}>fill in a form</TextLink>.
                </p>
              </>
            )}
          </Step>
          <Step at={3} title="See it sent" isDone={hasSent}>
            <p className="text-ink-soft">
              {hasSent
                ? "The schedule’s page says how late the request was sent, and what the target answered."
                : "The schedule is in the list at once. Once it is due, it says how late the request was sent, and what the target answered."}
            </p>
            <ButtonLink href={links.schedules}>Schedules</ButtonLink>
          </Step>
        </ol>
      </CardBody>
    </Card>
  );
}

function titleOf({ hasKey, hasSchedule, hasSent }: StepsDone): string {
  if (hasSent) return "The first request was sent";
  if (hasSchedule) return "The first request is scheduled";
  return `Nothing scheduled yet: ${hasKey ? "two" : "three"} steps to the first request`;
}

function Step({ at, title, isDone, children }: { at: number; title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden="true"
        className={`flex size-7 items-center justify-center rounded-full text-sm ${isDone ? "bg-ok-soft text-ok" : "border border-accent-line text-accent"}`}
      >
        {isDone ? <Icon of={Check} small /> : at}
      </span>
      <div className="grid justify-items-start gap-3 pt-0.5 *:max-w-full">
        <h3 className="text-base">
          {title}
          {isDone && <span className="ml-1 font-normal text-ok text-sm"> done</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
