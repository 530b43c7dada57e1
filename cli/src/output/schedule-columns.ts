import type { Schedule, Status } from "../../../sdk/src/types.ts";
import { localTime, localZone } from "./local-time.ts";
import type { Column } from "./table.ts";

/** Schedules as a table for people. */
export function scheduleColumns(): Column<Schedule>[] {
  return [
    { title: "ID", value: ({ id }) => id },
    { title: "STATUS", value: ({ status }) => status, colour: ({ status }) => COLOURS[status] },
    { title: `DUE (${localZone()})`, value: ({ fire_at }) => localTime(fire_at) },
    { title: "LATE MS", value: ({ offset_ms }) => String(offset_ms ?? "-"), align: "right" },
    { title: "TRIES", value: ({ attempts }) => String(attempts), align: "right" },
    { title: "REQUEST", value: ({ method, target_url }) => `${method} ${target_url}`, shrinks: true },
  ];
}

const COLOURS: Readonly<Record<Status, "red" | "green" | "yellow" | "dim" | undefined>> = {
  scheduled: undefined,
  firing: undefined,
  succeeded: "green",
  failed: "yellow",
  dead: "red",
  cancelled: "dim",
};
