import { styleText } from "node:util";
import { localTime } from "../output/local-time.ts";
import { printable } from "../output/printable.ts";
import { headerOf } from "./delivery.ts";
import type { Forwarded } from "./exchanges.ts";
import type { Destination } from "./listen-options.ts";
import { explainFailure } from "./local-failure.ts";

/** One delivery for people: time, method, path, status, local milliseconds, attempt, lateness, and what went wrong. */
export function deliveryLine(
  forwarded: Forwarded,
  { destination, aheadMs, stream }: { destination: Destination; aheadMs: number; stream: NodeJS.WriteStream },
): string {
  const { delivery, cameAtMs, tookMs, answer, sent } = forwarded;
  const status = "status" in answer ? String(answer.status) : "---";
  const colour = status.startsWith("2") ? "green" : "red";
  const late = latenessMs(forwarded, aheadMs);
  return [
    localTime(new Date(cameAtMs).toISOString()).slice(11),
    delivery.method,
    printable(delivery.path),
    styleText(colour, status, { stream }),
    `${"status" in answer ? answer.latency_ms : tookMs} ms`,
    `attempt ${delivery.attempt}`,
    late === null ? "" : late < 0 ? `${-late} ms early` : `${late} ms late`,
    "error" in answer ? printable(explainFailure(answer.error, destination)) : "",
    sent === "too late" ? "too late: the service had given the attempt up" : "",
    typeof sent === "object" ? `not answered: ${printable(sent.problem)}` : "",
  ]
    .filter(Boolean)
    .join("  ");
}

/** The same for programs. */
export function deliveryRecord(forwarded: Forwarded, aheadMs: number): object {
  const { delivery, cameAtMs, answer, sent, tookMs } = forwarded;
  return {
    type: "delivery",
    schedule_id: delivery.scheduleId,
    attempt: delivery.attempt,
    at: new Date(cameAtMs).toISOString(),
    method: delivery.method,
    path: delivery.path,
    status: "status" in answer ? answer.status : null,
    error: "error" in answer ? answer.error : null,
    latency_ms: "status" in answer ? answer.latency_ms : tookMs,
    late_ms: latenessMs(forwarded, aheadMs),
    recorded: sent === "recorded",
  };
}

/** With clocks that differ by more, nothing can be said of milliseconds. The service's is known to the second. */
const TOLERANCE_MS = 1_500;

/** How long after its instant a first attempt came here, ms; null for retries, and when the two clocks differ. */
function latenessMs({ delivery, cameAtMs }: Forwarded, aheadMs: number): number | null {
  const fireAtMs = Date.parse(headerOf(delivery, "x-service-fire-at") ?? "");
  if (delivery.attempt !== 1 || Number.isNaN(fireAtMs) || Math.abs(aheadMs) > TOLERANCE_MS) return null;
  return cameAtMs - fireAtMs;
}
