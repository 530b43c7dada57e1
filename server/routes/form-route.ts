import { isUtf8 } from "node:buffer";
import { invalid } from "#contract/inputs/validate.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { type Environment, environmentOf } from "#domain/environment.ts";
import { AppError, DailyLimitReached, Unauthorized } from "#domain/errors.ts";
import { refererPath, signedOutPageUrl } from "../auth/redirects.ts";
import { assertSameOrigin } from "../auth/same-origin.ts";
import { type Ctx, inEnvironment } from "../context.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { callerAddressOf } from "../http/caller-address.ts";
import { type ResponseMeta, type RouteHandler, withEnvelope } from "../http/envelope.ts";
import { type Flash, flashCookie } from "../http/flash-cookie.ts";
import { isDecodable } from "../http/normalise-request.ts";
import { type PageQuery, pageUrl } from "../http/page-url.ts";
import { readBodyBytes } from "../http/read-body-bytes.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import { openSession } from "../page-ctx.ts";
import { limitRequests } from "../rate-limit/enforce.ts";
import { getServices, type Services } from "../services.ts";
import { refusedFormPage } from "./refused-form-page.ts";

/** What a browser posted. */
export type PostedForm = {
  services: Services;
  request: Request;
  fields: URLSearchParams;
  /** The environment of the field `env`. */
  env: Environment;
  /** The field `key`: the same each time one form is submitted, so that a verb can make a repeated submit idempotent. */
  formKey: string | undefined;
  /** The caller's IP address, behind trusted proxies; null if unknown. */
  address: string | null;
  /** As in `X-Request-Id` and the log. */
  requestId: string | undefined;
};

/** What the verb of a form gets: the signed-in user's context in the environment of the form. */
export type FormCall = PostedForm & {
  ctx: Ctx;
  /** A redirect to a page of the dashboard, in the environment of the form. */
  goTo(path: string, query?: PageQuery & { result?: never }, cookies?: readonly string[]): Reply;
  /** A redirect to a page of the dashboard that shows the result once. */
  finish(path: string, flash: Flash, cookies?: readonly string[]): Reply;
};

type Page = {
  /** The page with the form. A GET of the form's route, such as a reload, redirects there. */
  page: string;
  /** The address that shows `error` and what was typed; `page` with the error's code without it. */
  back?: (posted: PostedForm, error: AppError) => string;
};

/** A form of the dashboard. Its verb returns the redirect to the next page. */
export type Form = Page & { session?: "required"; verb: (call: FormCall) => Promise<Reply> };

/** A form that anybody may send. Requests are counted per account, so this one has no limit but that of its verb. */
export type FormWithoutSession = Page & { session: "none"; verb: (posted: PostedForm) => Promise<Reply> };

/**
 * The route handlers of a form. This is the only stack for forms; it checks, in this order:
 *
 * 1. the origin: a form from a page of another site is FORBIDDEN;
 * 2. the session: without one it redirects to sign-in, and from there back to `back` or the page that sent the form;
 * 3. the account's requests per minute, as for calls of the API: above them a page with 429 and `Retry-After`, which keeps
 *    the fields;
 * 4. the body: at most 16 KiB, otherwise a page with 413; of the type of forms, otherwise 415; and decodable, otherwise 400.
 *
 * Then the verb runs, with the form key where it creates something. An AppError that it throws redirects to `back` or `page`;
 * any other error is sent in the envelope.
 */
export function formRoute(form: Form | FormWithoutSession): { GET: RouteHandler; POST: RouteHandler } {
  return {
    GET: withEnvelope(async () => seeOther(form.page)),
    POST: withEnvelope(async (request, _context, meta) => {
      assertSameOrigin(request.headers, getServices().config.baseUrl);
      const admitted = form.session === "none" ? null : await admit(request, meta).catch(asRefusal);
      const address = callerAddressOf(request);
      const isAccount = admitted !== null && !(admitted instanceof AppError);
      const memory = isAccount ? BodyMemory.ofAccount(admitted.tenant.accountId) : BodyMemory.ofCaller(address);
      try {
        // Read even when the caller was not admitted: the answer keeps what was typed.
        const fields = await readFields(request, memory).catch(asRefusal);
        if (fields instanceof AppError) return refusedFormPage(request, fields, null);
        const posted = postedForm(request, fields, address, meta);
        return await (form.session === "none" ? form.verb(posted) : runVerb(form, posted, admitted)).catch((error) =>
          answerError(form, posted, error),
        );
      } finally {
        memory.release();
      }
    }),
  };
}

/** Looks the session up and counts the request. Throws an AppError when the caller is not admitted. */
async function admit(request: Request, meta: ResponseMeta): Promise<Ctx> {
  const ctx = await openSession(request.headers, { writes: true, meta });
  if (ctx === null) throw new Unauthorized();
  await limitRequests(meta, ctx.tenant.accountId, ctx.limits.requestsPerMinute);
  return ctx;
}

/** The fields of the body (WHATWG URL, "application/x-www-form-urlencoded"). Throws an AppError when it is refused. */
async function readFields(request: Request, memory: BodyMemory): Promise<URLSearchParams> {
  const bytes = await readBodyBytes(request, { bytesMax: BODY_BYTES_MAX, memory });
  if (bytes === "too large")
    throw new AppError("PAYLOAD_TOO_LARGE", `A form may have at most ${BODY_BYTES_MAX} bytes.`);
  if (bytes.length > 0 && !FORM_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "It must be sent as application/x-www-form-urlencoded.");
  }
  const text = bytes.slice(0, bytes.length);
  if (!isUtf8(text) || !isDecodable(text.toString())) {
    throw invalid([{ path: "", message: "The form could not be read." }]);
  }
  return new URLSearchParams(text.toString());
}

/** An AppError as a value, to be answered with what was typed. Throws any other error on. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

function postedForm(
  request: Request,
  fields: URLSearchParams,
  address: string | null,
  { requestId }: ResponseMeta,
): PostedForm {
  const env = environmentOf(fields.get("env"));
  const formKey = fields.get("key") || undefined;
  return { services: getServices(), request, fields, env, formKey, address, requestId };
}

async function runVerb({ verb }: Form, posted: PostedForm, admitted: Ctx | AppError | null): Promise<Reply> {
  if (admitted === null || admitted instanceof AppError) throw admitted ?? new Unauthorized();
  const { env, services } = posted;
  const goTo: FormCall["goTo"] = (path, query, cookies) => seeOther(pageUrl(path, env, query), cookies);
  const finish: FormCall["finish"] = (path, flash, cookies = []) =>
    goTo(path, {}, [flashCookie(services.config, path, flash), ...cookies]);
  return verb({ ...posted, ctx: inEnvironment(admitted, env), goTo, finish });
}

function answerError({ page, back }: Page, posted: PostedForm, error: unknown): Reply {
  if (!(error instanceof AppError)) throw error;
  if (error.code === "RATE_LIMITED" && !(error instanceof DailyLimitReached)) {
    return refusedFormPage(posted.request, error, posted.fields);
  }
  if (error.code === "UNAUTHORIZED") {
    const sender = refererPath(posted.request.headers, posted.services.config.baseUrl);
    return seeOther(signedOutPageUrl(back?.(posted, error) ?? sender ?? pageUrl(page, posted.env)));
  }
  const code = error instanceof DatabaseUnavailable ? "unavailable" : error.code;
  return seeOther(back?.(posted, error) ?? pageUrl(page, posted.env, { error: code }));
}

const BODY_BYTES_MAX = 16_384;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
