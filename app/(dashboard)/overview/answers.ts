import type { LatenessZone } from "#components/charts/lateness-zones.ts";
import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import type { Overview } from "#server/overview/overview.ts";
import { hrefIn, type View } from "../view.ts";

/** Where the figures of an overview lead: the log with exactly the requests that they count. */
export function answersOf(view: View, { span }: Pick<Overview, "span">) {
  const log = (startMs: number, steps: number, filter: Readonly<Record<string, string>>) =>
    hrefIn(view.env, "/logs", {
      from: new Date(startMs).toISOString(),
      to: new Date(startMs + steps * span.stepMs).toISOString(),
      ...filter,
    });
  const startMs = span.startsAt.getTime();
  const measured = (late?: string) => ({ measured: "true", sort: "late", ...(late && { late }) });
  return {
    /** The page of a range, which gets `from` and `to`. */
    range: hrefIn(view.env, view.path),
    attempts: log(startMs, span.steps, {}),
    late: log(startMs, span.steps, measured(`${ON_TIME_WITHIN_MS + 1}..`)),
    bucket: ({ startsAt }: { startsAt: Date }) => log(startsAt.getTime(), 1, measured()),
    outcomes: ({ startsAt }: { startsAt: Date }, outcome?: "succeeded" | "failed") =>
      log(startsAt.getTime(), 1, { ...(outcome && { outcome }) }),
    zone: ({ fromMs, toMs }: LatenessZone) => log(startMs, span.steps, measured(`${fromMs ?? ""}..${toMs ?? ""}`)),
  };
}
