import type { ScheduleStatus } from "#domain/states.ts";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/**
 * The result of the last form on a schedule: what it did, or the action that `failed` with the code `error`. `originalHref` is
 * the page of the schedule that this one is a copy of.
 */
export function OperationResult({
  schedule,
  result = "",
  failed,
  error,
  originalHref,
  restore,
}: {
  schedule: ShownSchedule;
  result?: string | undefined;
  failed?: string | undefined;
  error?: string | undefined;
  originalHref?: string;
  /** Where a replay can stand in for this schedule, which is cancelled, and the words for when ("in 2 h"). */
  restore?: { href: string; due: string } | undefined;
}) {
  if (failed === "cancel" || failed === "fire") {
    const why = WHY_NOT.get(error ?? "") ?? schedule.problems[failed];
    return (
      <Notice kind="bad" announce="alert">
        <b>{failed === "cancel" ? "Not cancelled." : "Not sent."}</b>{" "}
        {why ?? "Its status changed meanwhile. Try again."}
      </Notice>
    );
  }
  const message = MESSAGES.get(result);
  if (message === undefined || (message.in && !message.in.includes(schedule.status))) {
    return restore ? (
      <Notice kind="info">
        This schedule is cancelled. <Restore {...restore} />
      </Notice>
    ) : null;
  }
  return (
    <Notice kind={result === "known" ? "info" : "ok"} announce="status">
      <b>{message.title}</b> {message.more} {restore && <Restore {...restore} />}
      {result === "replayed" && originalHref && (
        <>
          {" "}
          <TextLink href={originalHref}>The original</TextLink> stays as it is.
        </>
      )}
    </Notice>
  );
}

function Restore({ href, due }: { href: string; due: string }) {
  return (
    <>
      It would be due {due}: <TextLink href={href}>replay it at its old time</TextLink>.
    </>
  );
}

const WHY_NOT = new Map<string, string>(
  Object.entries({
    UNAVAILABLE: "The database could not do this now. Try again.",
    UNAUTHORIZED: "You were signed out. Try again.",
  }),
);

type Message = {
  title: string;
  more: string;
  /** The statuses in which the message still applies. */
  in?: readonly ScheduleStatus[];
};

const MESSAGES = new Map<string, Message>(
  Object.entries({
    created: { title: "Scheduled.", more: "It is sent when it is due.", in: ["scheduled"] },
    over: { title: "Scheduled.", more: "The month's quota is used up: this one is within its grace." },
    known: { title: "Nothing new was scheduled.", more: "This schedule exists with the same key." },
    cancelled: { title: "Cancelled.", more: "Nothing more is sent.", in: ["cancelled"] },
    fired: { title: "Due now.", more: "It is sent as soon as its turn comes.", in: ["scheduled", "failed", "firing"] },
    moved: { title: "Moved.", more: "It is sent at the new time.", in: ["scheduled"] },
    replayed: { title: "Created as a new schedule.", more: "It carries the same request." },
  }),
);
