import { CircleSlash, Repeat2 } from "lucide";
import type { OperationAction } from "#domain/operations.ts";
import type { Usage } from "#domain/quota.ts";
import { formatCount } from "../format/number.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { FullTime } from "../ui/time.tsx";
import { countInWords, type ScopeFilter, scopeInWords } from "./operation-words.ts";

/** The error of the last submit. */
const FAILURES = new Map<string, string>(
  Object.entries({
    unavailable: "Not started: the database did not answer. Try again.",
    daily: "Not started: this account started as many operations as its plan allows within 24 hours.",
    conflict: "Not started: ten operations are running. Wait for one of them, or stop it.",
    filter: "Nothing was done: the filter is empty or not valid. Go back and choose again.",
    gone: "Nothing was done: the schedule is not there any more.",
    firing: "Not cancelled: it is firing. Try again in a few seconds.",
    ended: "Not cancelled: it has ended already.",
    quota: "Not replayed: the month’s quota is used up.",
    refused: "Not replayed: its target, size or stored request does not allow it any more.",
  }),
);

/** The only schedule that a question is about. */
export type AskedSchedule = { method: string; url: string; fireAt: Date };

/** Asks before schedules are cancelled or replayed. Says how many, which ones, and what happens. */
export function ConfirmCard({
  action,
  count,
  isCapped,
  leftAlone,
  only,
  filter,
  zone,
  usage,
  formAction,
  fields,
  backHref,
  againHref,
  error,
}: {
  action: OperationAction;
  /** How many schedules the action applies to, or more than that. */
  count: number;
  isCapped: boolean;
  /** How many of the chosen ones it does not apply to. */
  leftAlone: number;
  /** The schedule, when only one was chosen and the action applies to it. */
  only: AskedSchedule | null;
  /** Null for chosen schedules. */
  filter: ScopeFilter | null;
  zone: string;
  usage: Usage;
  formAction: string;
  fields: Readonly<Record<string, string | undefined>>;
  backHref: string;
  /** This question, asked anew. */
  againHref: string;
  error: string | undefined;
}) {
  const words = only ? "this schedule" : countInWords(count, isCapped);
  const verb = action === "cancel" ? "Cancel" : "Replay";
  const failure = error === undefined ? undefined : (FAILURES.get(error) ?? "Nothing was done. Try again.");
  return (
    <Card danger={action === "cancel"} aria-labelledby={`confirm-${action}`}>
      <CardHead title={count === 0 ? `Nothing to ${action}` : `${verb} ${words}?`} id={`confirm-${action}`} />
      <CardBody className="grid gap-3 text-ink-soft">
        {failure && (
          <Notice kind="bad" announce="alert">
            {failure}
          </Notice>
        )}
        {only ? (
          <Asked schedule={only} zone={zone} />
        ) : (
          <p className="wrap-anywhere">
            {filter === null ? "The selected schedules." : `${sentence(scopeInWords(filter, zone))}.`}
          </p>
        )}
        {leftAlone > 0 && (
          <p>
            {countInWords(leftAlone)} of the selected {leftAlone === 1 ? "is" : "are"} skipped: firing, ended, or
            deleted.
          </p>
        )}
        {count > 0 && (action === "cancel" ? <CancelConsequence /> : <ReplayConsequence usage={usage} />)}
        <form method="post" action={formAction} className="flex flex-wrap gap-2 pt-1">
          <HiddenFields values={fields} />
          {count > 0 && (
            <Button type="submit" kind={action === "cancel" ? "danger-fill" : "primary"}>
              <Icon of={action === "cancel" ? CircleSlash : Repeat2} small />
              {`${verb} ${words}`}
            </Button>
          )}
          {count === 0 && <ButtonLink href={againHref}>Look again</ButtonLink>}
          <ButtonLink href={backHref}>
            {count === 0 ? "Back" : action === "replay" ? "Not now" : only ? "Keep it" : "Keep them"}
          </ButtonLink>
        </form>
      </CardBody>
    </Card>
  );
}

function Asked({ schedule: { method, url, fireAt }, zone }: { schedule: AskedSchedule; zone: string }) {
  return (
    <div className="grid gap-1 text-ink">
      <p className="wrap-anywhere font-mono text-sm">
        {method} {url}
      </p>
      <p>
        <FullTime at={fireAt} zone={zone} />
      </p>
    </div>
  );
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function CancelConsequence() {
  return (
    <ul className="grid list-disc gap-1 pl-5">
      <li>A cancelled schedule is never sent, and cancelling is not undone.</li>
      <li>Schedules that are firing or have ended are skipped and counted.</li>
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
        Each copy counts, but that of a dead one: {formatCount(scheduled)} of {formatCount(limit)} are used this month,
        and no copy that counts is made beyond {formatCount(grace_limit)}.
      </li>
      <li>Schedules that cannot be copied, because their payload was erased for example, are skipped and counted.</li>
    </ul>
  );
}
