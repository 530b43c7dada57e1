import type { Near } from "#components/overview/nearest.tsx";
import type { Environment } from "#domain/environment.ts";
import type { OwnNear } from "#server/overview/nearest.ts";
import { hrefIn } from "../view.ts";

/** A schedule of the overview: its link, and when it fired or will fire. */
export function nearIn(env: Environment, { id, status, method, targetUrl, ...times }: OwnNear): Near {
  const at = new Date(times.firedAtMs ?? times.fireAtMs);
  return {
    id,
    href: hrefIn(env, `/schedules/${id}`),
    status,
    method,
    url: targetUrl,
    at,
    offsetMs: times.offsetMs,
    nextAttemptAt: times.nextAttemptAtMs === null ? null : new Date(times.nextAttemptAtMs),
  };
}
