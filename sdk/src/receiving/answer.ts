import { invalid } from "../client/invalid.ts";
import { isDevelopment } from "../client/is-development.ts";
import type { StopwatchError } from "../error.ts";
import type { Bytes } from "../signatures/body.ts";
import type { VerifyOptions } from "../signatures/check-signature.ts";
import type { HeaderBag } from "../signatures/headers.ts";
import { checkHeaders, type Delivery } from "../signatures/verify-signature.ts";
import type { Once } from "./once.ts";
import type { Gone, RetryLater } from "./retry-later.ts";

export type ReceiveOptions = Omit<VerifyOptions, "now"> & {
  /**
   * What to do with a delivery. A `Response` that it returns is the answer; one that is not 2xx has failed, and is tried
   * again. Otherwise the answer is 200 when it returns, 500 when it throws; see `RetryLater` and `Gone`.
   */
  onDelivery: (delivery: Delivery) => unknown;
  /** Keeps a repeated delivery from running `onDelivery` again. */
  once?: Once | undefined;
  /** The largest body to read, in bytes. 1 MiB unless given. */
  maxBytes?: number | undefined;
  /** Gets the errors that were answered with 500, and those of `once`. `console.error` unless given. */
  onError?: ((error: unknown) => void) | undefined;
};

/**
 * Checks a request, and handles its delivery. `readBody` returns the status to answer when there is no body to check.
 * Resolves to undefined when `passOn` took what `onDelivery` or `once` threw.
 */
export async function answer(
  headers: HeaderBag,
  readBody: (maxBytes: number) => Promise<Bytes | 400 | 413>,
  options: ReceiveOptions,
  passOn?: (error: unknown) => void,
): Promise<Response | undefined> {
  const { once, onDelivery, maxBytes = 1 << 20, onError = console.error } = options;
  let delivery: Delivery;
  try {
    const checkBody = await checkHeaders(headers, options);
    const bytes = await readBody(maxBytes);
    if (typeof bytes === "number") return say(bytes, `over ${maxBytes} bytes`);
    delivery = await checkBody(bytes);
  } catch (error) {
    const { code, reason, message } = error as StopwatchError;
    if (code === "INVALID_SIGNATURE" && !reason?.startsWith("body")) return say(401, `${reason}: ${message}`);
    onError(error);
    return say(500, `misconfigured: ${message}`);
  }
  let result: unknown;
  // If `once` fails here, the answer still tells how the work ended.
  const note = async (end: "finish" | "fail") => once?.[end](delivery.scheduleId);
  try {
    const state = once ? await once.begin(delivery.scheduleId) : "new";
    if (state === "done") return say(200, state);
    // An attempt waits 30 s for its answer, so the running one has ended by then.
    if (state !== "new") return say(503, "busy", 30);
    try {
      result = await onDelivery(delivery);
    } catch (error) {
      await note("fail").catch(onError);
      throw error;
    }
  } catch (error) {
    const { name, seconds } = (error ?? {}) as RetryLater | Gone;
    if (name === "RetryLater") return say(503, name, seconds);
    if (name === "Gone") return say(410, name);
    if (passOn) return void passOn(error);
    onError(error);
    return say(500, "failed");
  }
  const said = result instanceof Response ? result : say(200, "ok");
  await note(said.ok ? "finish" : "fail").catch(onError);
  return said;
}

/** Throws INVALID_ARGUMENT for what is missing, and for a refused STOPWATCH_DEV. Values may be missing: a build has no secrets. */
export function checkOptions(options: ReceiveOptions): void {
  for (const name of ["onDelivery", "secrets"] as const)
    if (!(name in Object(options))) throw invalid(name, "is missing");
  isDevelopment();
}

function say(status: number, text: string, retryAfter?: number): Response {
  return new Response(text, { status, headers: retryAfter ? { "Retry-After": `${Math.ceil(retryAfter)}` } : {} });
}
