import type { Attempt, LoggedAttempt } from "../../../sdk/src/types.ts";
import { localTime, localZone } from "./local-time.ts";
import type { Column } from "./table.ts";

/** The attempts of one schedule as a table for people. */
export function attemptColumns(): Column<Attempt>[] {
  return [
    { title: "TRY", value: ({ attempt }) => String(attempt), align: "right" },
    ...sharedColumns<Attempt>(),
    { title: "LATE MS", value: ({ timing }) => String(timing.late ?? "-"), align: "right" },
    { title: "ANSWER", value: ({ error_text }) => error_text, shrinks: true },
  ];
}

/** Attempts of many schedules as a table for people. */
export function logColumns(): Column<LoggedAttempt>[] {
  return [
    ...sharedColumns<LoggedAttempt>(),
    { title: "TRY", value: ({ attempt }) => String(attempt), align: "right" },
    { title: "SCHEDULE", value: ({ schedule_id }) => schedule_id },
    {
      title: "REQUEST",
      value: ({ method, target_url, error_text }) =>
        `${method} ${target_url}${error_text === "" ? "" : `: ${error_text}`}`,
      shrinks: true,
    },
  ];
}

type Shared = Pick<Attempt, "attempted_at" | "status_code" | "latency_ms">;

function sharedColumns<T extends Shared>(): Column<T>[] {
  return [
    { title: `AT (${localZone()})`, value: ({ attempted_at }) => localTime(attempted_at) },
    {
      title: "CODE",
      value: ({ status_code }) => String(status_code ?? "none"),
      colour: ({ status_code }) => (status_code !== null && status_code >= 200 && status_code < 300 ? "green" : "red"),
    },
    { title: "MS", value: ({ latency_ms }) => String(latency_ms), align: "right" },
  ];
}
