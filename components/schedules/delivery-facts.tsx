import type { DeliveryOptions } from "#domain/delivery-options.ts";
import { writeDuration } from "#domain/duration.ts";
import { formatInstant } from "../format/instant.ts";

/** Delivery options in words, one a line. */
export function DeliveryFacts({ options }: { options: DeliveryOptions }) {
  return (
    <ul>
      {linesOf(options).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function linesOf({ timeoutMs, retryDelaysMs, giveUpStatuses, expiresAtMs, expiresInMs }: DeliveryOptions): string[] {
  const lines = [
    timeoutMs !== undefined && `${timeoutMs / 1_000} s for an answer`,
    retryDelaysMs &&
      (retryDelaysMs.length === 0 ? "No retry" : `Retries after ${retryDelaysMs.map(writeDuration).join(", ")}`),
    giveUpStatuses && (giveUpStatuses.length === 0 ? "No answer ends it" : `Ended by ${giveUpStatuses.join(", ")}`),
    expiresAtMs !== undefined && `Expires ${formatInstant(new Date(expiresAtMs))}`,
    expiresAtMs === undefined && expiresInMs !== undefined && `Expires ${writeDuration(expiresInMs)} after its time`,
  ];
  return lines.filter((line) => typeof line === "string");
}
