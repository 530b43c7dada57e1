import { type Environment, environmentOf, environmentQuery } from "#domain/environment.ts";
import { AppError, DailyLimitReached, type ErrorCode } from "#domain/errors.ts";
import { encodeId } from "#domain/ids.ts";
import { parseRedirectPath } from "#domain/redirect-path.ts";
import { signedOutPageUrl } from "../auth/redirects.ts";
import type { Ctx } from "../context.ts";
import { validate } from "../input/validate.ts";
import { OperationInput } from "../operations/operation-input.ts";
import { startOperation } from "../operations/start.ts";
import { stopOperation } from "../operations/stop.ts";
import { readPageCtx } from "../page-ctx.ts";
import { cancelSchedule } from "../schedules/cancel.ts";
import { repeatSchedule } from "../schedules/repeat.ts";
import { doneCookie } from "./done-cookie.ts";
import type { FormCall } from "./form-route.ts";
import { type Reply, seeOther } from "./reply.ts";

const LIST = "/schedules";

/** The selected rows of a list: redirects to the page that asks for confirmation. */
export async function selectSchedules({ fields }: FormCall): Promise<Reply> {
  const ids = fields.getAll("id");
  const back = parseRedirectPath(fields.get("back") ?? "") ?? address(LIST, environmentQuery(envOf(fields)));
  if (ids.length === 0) return seeOther(address(back, { error: "none" }));
  const action = fields.get("action") ?? undefined;
  return seeOther(address(`${LIST}/confirm`, { action, ids: ids.join(","), back, ...environmentQuery(envOf(fields)) }));
}

/**
 * The button of the confirm page. A single schedule is cancelled or replayed at once, then the list is shown; for
 * several an operation is started, then its page is shown. After an error the confirm page is shown again.
 */
export async function startFromForm({ request, fields }: FormCall): Promise<Reply> {
  const env = envOf(fields);
  // Includes the form's key, because a request that failed may have been stored.
  const given = Object.fromEntries([...fields].filter(([, value]) => value !== ""));
  const asking = address(`${LIST}/confirm`, { ...given, env: undefined, ...environmentQuery(env) });
  const ctx = await readPageCtx(request.headers, { env, writes: true });
  if (ctx === null) return seeOther(signedOutPageUrl(asking));
  try {
    return await start(ctx, fields);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return seeOther(address(asking, { error: failureOf(error, fields) }));
  }
}

/** The button "Stop" of an operation's page. */
export async function stopFromForm({ request, fields }: FormCall): Promise<Reply> {
  const env = envOf(fields);
  const id = fields.get("id") ?? "";
  const page = address(`${LIST}/operations/${encodeURIComponent(id)}`, environmentQuery(env));
  const ctx = await readPageCtx(request.headers, { env, writes: true });
  if (ctx === null) return seeOther(signedOutPageUrl(page));
  try {
    await stopOperation(ctx, id);
    return seeOther(page);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return seeOther(address(page, { error: "not_stopped" }));
  }
}

/** Performs the action and returns the redirect. */
async function start(ctx: Ctx, fields: URLSearchParams): Promise<Reply> {
  const env = envOf(fields);
  const value = (name: string) => fields.get(name) || undefined;
  const ids = value("ids")?.split(",") ?? [];
  const key = value("key");
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const done = await actOnOne(ctx, value("action"), only, key);
    const back = parseRedirectPath(value("back") ?? "") ?? address(LIST, environmentQuery(env));
    return seeOther(back, [doneCookie(ctx.config, LIST, done)]);
  }
  const input = validate(OperationInput, {
    action: value("action"),
    idempotencyKey: key && `form/${key}`,
    ...(value("all") === "1" ? { filter: filterOf(value) } : { schedules: ids }),
  });
  const { operation } = await startOperation(ctx, input);
  return seeOther(address(`${LIST}/operations/${encodeId("op", operation.id)}`, environmentQuery(env)));
}

function filterOf(value: (name: string) => string | undefined) {
  const given = { status: value("status")?.split(","), q: value("q"), from: value("from"), to: value("to") };
  return Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined));
}

async function actOnOne(ctx: Ctx, action: string | undefined, id: string, key: string | undefined) {
  if (action !== "replay") {
    await cancelSchedule(ctx, id);
    return { did: "cancel", id };
  }
  const copy = await repeatSchedule(ctx, id, key === undefined ? {} : { idempotencyKey: `form/${key}` });
  return { did: "replay", id: encodeId("sch", copy.id) };
}

const FAILURES: Partial<Record<ErrorCode, string>> = {
  UNAVAILABLE: "unavailable",
  NOT_FOUND: "gone",
  QUOTA_EXCEEDED: "quota",
  PAYLOAD_TOO_LARGE: "refused",
  VALIDATION: "refused",
};

/** The code of an error for the parameter `error` of the confirm page. */
function failureOf(error: AppError, fields: URLSearchParams): string {
  const { code, publicMessage } = error;
  if (error instanceof DailyLimitReached) return "daily";
  if (code !== "CONFLICT") return FAILURES[code] ?? "failed";
  if ((fields.get("ids") ?? ",").includes(",")) return "conflict";
  if (fields.get("action") === "replay") return "refused";
  return publicMessage.includes("firing") ? "firing" : "ended";
}

const envOf = (fields: URLSearchParams): Environment => environmentOf(fields.get("env"));

/** A path of this service with `params` added to its query. */
function address(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const [pathname = "", search = ""] = path.split("?");
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, value);
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}
