import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "#config.ts";
import { AppError } from "#domain/errors.ts";
import { formBytesMax } from "#domain/plans.ts";
import { assertSameOrigin } from "../auth/same-origin.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { type AddressSettings, callerOfSocket } from "./caller-of-socket.ts";
import { FormFields } from "./form-fields.ts";
import { watchArrival } from "./watch-arrival.ts";

/** The pages with a server action: Next.js itself reads their forms. */
const PAGES = new Set(["/schedules/new", "/recurrences/one"]);

type Settings = Pick<Config, "baseUrl" | "plans"> & AddressSettings;

/**
 * Checks the form of a server action before Next.js reads its body, which it does before any of our code runs: as
 * `checkAction`, and calls `refuse` when the body arrives too slowly, finds no memory or has too many fields.
 */
export function admitAction(
  request: IncomingMessage,
  response: Pick<ServerResponse, "on">,
  settings: Settings,
  refuse: (error: AppError) => void,
): void {
  const fields = checkAction(request, settings);
  if (fields === undefined) return;
  const address = callerOfSocket(request, settings);
  const take = (piece: Uint8Array) => fields.push(piece);
  watchArrival(request, response, { memory: BodyMemory.ofCaller(address), take, refuse });
}

/**
 * Checks the head of a form for a server action, and returns what counts the fields of its body; undefined where Next.js
 * reads no form. The form must come from a page of our own origin; Next.js would compare `Origin` with `Host`, which behind
 * some proxies is not our address. The headers of a form for a page without an action are changed so that Next.js does not
 * read it. Throws FORBIDDEN, VALIDATION without `Content-Length`, PAYLOAD_TOO_LARGE, and what `FormFields` throws for its type.
 */
export function checkAction(
  request: Pick<IncomingMessage, "method" | "url" | "headers">,
  { baseUrl, plans }: Pick<Settings, "baseUrl" | "plans">,
): FormFields | undefined {
  const { headers, method } = request;
  const isForm = /^\s*multipart\/form-data\b/i.test(headers["content-type"] ?? "");
  if (method !== "POST" || (!isForm && headers["next-action"] === undefined)) return undefined;
  if (!takesAction(request)) {
    delete headers["next-action"];
    if (isForm) headers["content-type"] = "application/octet-stream";
    return undefined;
  }
  assertSameOrigin(new Headers(originOf(headers)), baseUrl);
  headers["x-forwarded-host"] = new URL(baseUrl).host;

  const length = headers["content-length"];
  if (length === undefined) {
    const message = "A form must be sent with its Content-Length.";
    throw new AppError("VALIDATION", message, { details: [{ path: "", message }], status: 411 });
  }
  const bytesMax = formBytesMax(plans);
  if (Number(length) > bytesMax) throw new AppError("PAYLOAD_TOO_LARGE", `A form has at most ${bytesMax} bytes.`);
  // Also for a body that is no form: an action that a script calls could have one, but ours has a form.
  return new FormFields(headers["content-type"] ?? "");
}

/** Whether Next.js looks for a server action in the body of a request. */
export function takesAction({ method, url = "" }: Pick<IncomingMessage, "method" | "url">): boolean {
  return method === "POST" && PAGES.has(url.split("?", 1)[0] ?? "");
}

/** The headers that name the page that a request comes from. */
function originOf(headers: IncomingMessage["headers"]): Record<string, string> {
  const { origin, referer, "sec-fetch-site": site } = headers;
  return {
    ...(origin !== undefined && { origin }),
    ...(referer !== undefined && { referer }),
    ...(typeof site === "string" && { "sec-fetch-site": site }),
  };
}
