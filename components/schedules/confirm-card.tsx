import { CircleSlash, Repeat2 } from "lucide";
import type { OperationAction } from "#domain/operations.ts";
import type { Usage } from "#domain/quota.ts";
import { formatCount } from "../format/number.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { countInWords, type ScopeFilter, scopeInWords } from "./operation-words.ts";

/** The error of the last submit. */
const FAILURES = new Map<string, string>(
  Object.entries({
    unavailable: "Not started: the database could not store it. Try again.",
    daily: "Not started: this account started as many operations as its plan allows within 24 hours.",
    conflict: "Not started: ten operations are running. Wait for one of them, or stop it.",
    gone: "Nothing was done: the schedule is not there any more.",
    firing: "Not cancelled: it is firing. Try again in a few seconds.",
    ended: "Not cancelled: it has ended already.",
    quota: "Not replayed: the month’s quota is used up.",
    refused: "Not replayed: its target, size or stored request does not allow it any more.",
  }),
);

/** Asks before many schedules are cancelled or replayed. Says how many, which ones, and what happens. */
export function ConfirmCard({
  action,
  count,
  isCapped,
  filter,
  zone,
  usage,
  formAction,
  fields,
  backHref,
  error,
}: {
  action: OperationAction;
  count: number;
  isCapped: boolean;
  /** Null for chosen schedules. */
  filter: ScopeFilter | null;
  zone: string;
  usage: Usage;
  formAction: string;
  fields: Readonly<Record<string, string | undefined>>;
  backHref: string;
  error: string | undefined;
}) {
  const words = countInWords(count, isCapped);
  const verb = action === "cancel" ? "Cancel" : "Replay";
  const failure = error === undefined ? undefined : (FAILURES.get(error) ?? "Nothing was done. Try again.");
  return (
    <Card danger={action === "cancel"} aria-labelledby={`confirm-${action}`}>
      <CardHead title={`${verb} ${words}?`} id={`confirm-${action}`} />
      <CardBody className="grid gap-3 text-ink-soft">
        {failure && (
          <Notice kind="bad" announce="alert">
            {failure}
          </Notice>
        )}
        <p className="wrap-anywhere">
          {filter === null ? "The selected schedules." : `${sentence(scopeInWords(filter, zone))}.`}
        </p>
        {action === "cancel" ? <CancelConsequence /> : <ReplayConsequence usage={usage} />}
        <form method="post" action={formAction} className="flex flex-wrap gap-2 pt-1">
          <HiddenFields values={fields} />
          <Button type="submit" kind={action === "cancel" ? "danger-fill" : "primary"} disabled={count === 0}>
            <Icon of={action === "cancel" ? CircleSlash : Repeat2} small />
            {`${verb} ${words}`}
          </Button>
          <ButtonLink href={backHref}>{action === "cancel" ? "Keep them" : "Not now"}</ButtonLink>
        </form>
      </CardBody>
    </Card>
  );
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function CancelConsequence() {
  return (
    <ul className="grid list-disc gap-1 pl-5">
      <li>A cancelled schedule is never sent, and cancelling is not undone.</li>
      <li>Schedules that are firing or have ended are left alone and counted.</li>
      <li>Cancelled schedules still count toward your quota.</li>
    </ul>
  );
}

function ReplayConsequence({ usage: { scheduled, limit, grace_limit } }: { usage: Usage }) {
  return (
    <ul className="grid list-disc gap-1 pl-5">
      <li>
        A copy of each is sent now, with the same target, method, headers and payload. A target may get a request twice.
      </li>
      <li>
        Each copy counts: {formatCount(scheduled)} of {formatCount(limit)} are used this month, and no copy is made
        beyond {formatCount(grace_limit)}.
      </li>
      <li>
        Schedules that cannot be copied, because their payload was erased for example, are left alone and counted.
      </li>
    </ul>
  );
}
