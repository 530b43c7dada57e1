import { StopwatchError } from "../../../sdk/src/index.ts";
import { printable } from "../output/printable.ts";
import { pauseUntil } from "../pause.ts";
import { backOffMs } from "./back-off.ts";
import { type Delivery, readDelivery } from "./delivery.ts";
import { readStream, type StreamEnd } from "./read-stream.ts";

export type Ready = { listener: string; scope: string };

export type ListenRequest = {
  /** The address of the installation. */
  url: string;
  key: string;
  userAgent: string;
  scope: "reserved" | "all";
  /** Prefixes of paths; none: every path. */
  paths: readonly string[];
  /** Without a byte for this long, a connection counts as dead, ms. */
  silenceMs: number;
};

export type ListenEvents = {
  /** The service has taken the listener. `isResumed`: it is the one that was there before, with what it holds. */
  onReady(ready: Ready, isResumed: boolean): void;
  /** There is no stream any more, and why. The next one is opened after `waitMs`. */
  onLost(why: string, waitMs: number): void;
  /** `nowMs` is the service's time, epoch ms. */
  onDelivery(delivery: Delivery, listener: string, nowMs: number): void;
  onOver(id: string): void;
};

/** A stream that ends sooner counts as a failure like the one before, so that no fault opens one after the other at once. */
const STEADY_MS = 10_000;

/**
 * Keeps a stream of deliveries open, and opens it again each time it ends: as the same listener where the service still
 * knows it. Resolves when `signal` is aborted. Throws a StopwatchError when the service will refuse the next try too, as with
 * a key that was revoked.
 */
export async function keepListening(request: ListenRequest, events: ListenEvents, signal: AbortSignal): Promise<void> {
  let listener: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const { userAgent, key, silenceMs } = request;
    const resumed = listener;
    let readyAtMs: number | undefined;
    const onEvent = (event: string, data: unknown, aheadMs: number) => {
      if (event === "ready") {
        readyAtMs = performance.now();
        const ready = data as Ready;
        listener = ready.listener;
        events.onReady(ready, listener === resumed);
      } else if (event === "delivery" && listener) {
        events.onDelivery(readDelivery(data), listener, Date.now() + aheadMs);
      } else if (event === "over") events.onOver((data as { id: string }).id);
    };
    const end = await readStream({ url: streamUrl(request, resumed), key, userAgent, signal, silenceMs, onEvent });
    if (signal.aborted) return;
    if (isForgotten(end, resumed)) listener = undefined;
    else if (isFinal(end)) throw finalError(end);
    if (end.kind === "goodbye" && end.reason === "replaced") listener = undefined;
    const wasSteady = readyAtMs !== undefined && performance.now() - readyAtMs > STEADY_MS;
    failures = wasSteady ? 1 : failures + 1;
    const waitMs = backOffMs(failures, Math.random(), askedMs(end));
    events.onLost(explainEnd(end, request.url), waitMs);
    await pauseUntil(waitMs, signal);
  }
}

function streamUrl({ url, scope, paths }: ListenRequest, listener: string | undefined): URL {
  const address = new URL(`${url}/v1/listen`);
  address.searchParams.set("scope", scope);
  for (const path of paths) address.searchParams.append("path", path);
  if (listener) address.searchParams.set("listener", listener);
  return address;
}

/** Whether the service refused to resume a listener that it does not know any more. A new one may be fine. */
function isForgotten(end: StreamEnd, listener: string | undefined): boolean {
  return end.kind === "refused" && listener !== undefined && [400, 404, 409].includes(end.status);
}

/** Whether another try would end in the same way. */
function isFinal(end: StreamEnd): boolean {
  if (end.kind === "goodbye") return end.reason === "revoked";
  if (end.kind !== "refused") return false;
  return end.status < 500 && ![408, 409, 429].includes(end.status);
}

function finalError(end: StreamEnd): StopwatchError {
  if (end.kind !== "refused") {
    const message = "The key was revoked, or its account is no longer active";
    return new StopwatchError("UNAUTHORIZED", message, { status: 401 });
  }
  const { code, message, status, requestId } = end;
  return new StopwatchError(code, message, { status, requestId });
}

function askedMs(end: StreamEnd): number {
  if (end.kind === "goodbye") return end.retryMs;
  return end.kind === "refused" ? end.retryAfterMs : 0;
}

/** Why a stream ended, as the rest of a sentence; `installation` is the address of the service. */
function explainEnd(end: StreamEnd, installation: string): string {
  switch (end.kind) {
    case "silent":
      return `nothing came for ${seconds(end.ms)}, not even a sign of life`;
    case "clock jumped":
      return `the clock jumped by ${seconds(end.ms)}: this machine slept, or the process was stopped`;
    case "goodbye":
      return GOODBYES[end.reason] ?? `the service ended it (${printable(end.reason)})`;
    case "broken":
      return end.isOpen
        ? `the connection broke (${printable(end.why)})`
        : `${installation} cannot be reached (${printable(end.why)})`;
    case "unreadable":
      return `what came cannot be read (${printable(end.why)})`;
    case "refused":
      return `the service says: ${printable(end.message)} (${printable(end.code)})`;
    case "stopped":
      return "it was stopped";
  }
}

const GOODBYES: Readonly<Record<string, string>> = {
  restart: "the service restarts",
  age: "the stream has reached its age, as each one does",
  replaced: "another stream took this listener over",
};

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
