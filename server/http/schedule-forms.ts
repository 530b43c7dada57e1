import { type Environment, environmentOf, environmentQuery } from "#domain/environment.ts";
import { AppError, type ErrorCode } from "#domain/errors.ts";
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
import type { FormCall } from "./form-route.ts";
import { type Reply, seeOther } from "./reply.ts";

const LIST = "/schedules";

/** The rows ticked in a list: goes on to the page that asks. */
export async function selectSchedules({ fields }: FormCall): Promise<Reply> {
  const ids = fields.getAll("id");
  const back = parseRedirectPath(fields.get("back") ?? "") ?? address(LIST, environmentQuery(envOf(fields)));
  if (ids.length === 0) return seeOther(address(back, { error: "none" }));
  const action = fields.get("action") ?? undefined;
  return seeOther(address(`${LIST}/confirm`, { action, ids: ids.join(","), back, ...environmentQuery(envOf(fields)) }));
}

/**
 * The button of the page that asks. One chosen schedule is cancelled or replayed at once, and the list says so; for more an
 * operation is started, whose page follows it. What fails leads back to the page that asks.
 */
export async function startFromForm({ request, fields }: FormCall): Promise<Reply> {
  const env = envOf(fields);
  // With its key: what failed may have been stored all the same.
  const given = Object.fromEntries([...fields].filter(([, value]) => value !== ""));
  const asking = address(`${LIST}/confirm`, { ...given, env: undefined, ...environmentQuery(env) });
  const ctx = await readPageCtx(request.headers, { env, writes: true });
  if (ctx === null) return seeOther(signedOutPageUrl(asking));
  try {
    return seeOther(await start(ctx, fields));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return seeOther(address(asking, { error: failureOf(error, fields) }));
  }
}

/** "Stop" on the page of an operation. */
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

/** Does it; answers where to go. */
async function start(ctx: Ctx, fields: URLSearchParams): Promise<string> {
  const env = envOf(fields);
  const value = (name: string) => fields.get(name) || undefined;
  const ids = value("ids")?.split(",") ?? [];
  const key = value("key");
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const did = await actOnOne(ctx, value("action"), only, key);
    return address(parseRedirectPath(value("back") ?? "") ?? address(LIST, environmentQuery(env)), did);
  }
  const input = validate(OperationInput, {
    action: value("action"),
    idempotencyKey: key && `form/${key}`,
    ...(value("all") === "1" ? { filter: filterOf(value) } : { schedules: ids }),
  });
  const { operation } = await startOperation(ctx, input);
  return address(`${LIST}/operations/${encodeId("op", operation.id)}`, environmentQuery(env));
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

/** The word by which the page that asks says what went wrong. */
function failureOf({ code, publicMessage }: AppError, fields: URLSearchParams): string {
  if (code !== "CONFLICT") return FAILURES[code] ?? "failed";
  if ((fields.get("ids") ?? ",").includes(",")) return "conflict";
  if (fields.get("action") === "replay") return "refused";
  return publicMessage.includes("firing") ? "firing" : "ended";
}

const envOf = (fields: URLSearchParams): Environment => environmentOf(fields.get("env"));

/** An own path with these parameters beside those that it has. */
function address(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const [pathname = "", search = ""] = path.split("?");
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, value);
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}
