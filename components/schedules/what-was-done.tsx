import type { ScheduleStatus } from "#domain/states.ts";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/**
 * Says what was just done with a schedule, or why not: `failed` names the action, `error` is the code of the failure.
 * `originalHref` is the page of the schedule that it is a copy of.
 */
export function WhatWasDone({
  schedule,
  did = "",
  failed,
  error,
  originalHref,
}: {
  schedule: ShownSchedule;
  did?: string | undefined;
  failed?: string | undefined;
  error?: string | undefined;
  originalHref?: string;
}) {
  if (failed === "cancel" || failed === "fire") {
    const why = WHY_NOT.get(error ?? "") ?? schedule.problems[failed];
    return (
      <Notice kind="bad" announce="alert">
        <b>{failed === "cancel" ? "Not cancelled." : "Not fired."}</b>{" "}
        {why ?? "Its status changed meanwhile. Try again."}
      </Notice>
    );
  }
  const said = SAID.get(did);
  if (said === undefined || (said.in && !said.in.includes(schedule.status))) return null;
  return (
    <Notice kind={did === "known" ? "info" : "ok"} announce="status">
      <b>{said.title}</b> {said.more}
      {did === "replayed" && originalHref && (
        <>
          {" "}
          <TextLink href={originalHref}>The original</TextLink> stays as it is.
        </>
      )}
    </Notice>
  );
}

const WHY_NOT = new Map<string, string>(
  Object.entries({
    UNAVAILABLE: "The database did not answer. Try again.",
    UNAUTHORIZED: "You were signed out. Try again.",
  }),
);

type Said = {
  title: string;
  more: string;
  /** The statuses in which the message still applies. */
  in?: readonly ScheduleStatus[];
};

const SAID = new Map<string, Said>(
  Object.entries({
    created: { title: "Stored.", more: "It leaves at its instant.", in: ["scheduled"] },
    over: { title: "Stored.", more: "The month's quota is used up: this one is within its grace." },
    known: { title: "Nothing new was stored.", more: "This schedule had been stored with the same key before." },
    cancelled: { title: "Cancelled.", more: "Nothing more is sent.", in: ["cancelled"] },
    fired: { title: "Due now.", more: "It leaves as soon as its turn comes.", in: ["scheduled", "failed", "firing"] },
    moved: { title: "Moved.", more: "It leaves at the new instant.", in: ["scheduled"] },
    replayed: { title: "Stored as a new schedule.", more: "It carries the same request." },
  }),
);
