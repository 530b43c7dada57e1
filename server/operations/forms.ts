import { OperationInput } from "#contract/inputs/operation-input.ts";
import { validate } from "#contract/inputs/validate.ts";
import { type AppError, DailyLimitReached, type ErrorCode } from "#domain/errors.ts";
import { FILTER_NAMES } from "#domain/filters.ts";
import { encodeId } from "#domain/ids.ts";
import { parseRedirectPath } from "#domain/redirect-path.ts";
import type { Ctx } from "../context.ts";
import { type Flash, flashCookie } from "../http/flash-cookie.ts";
import { pageUrl, withParameter } from "../http/page-url.ts";
import { seeOther } from "../http/reply.ts";
import type { Form, PostedForm } from "../routes/form-route.ts";
import { cancelSchedule } from "../schedules/cancel.ts";
import { repeatSchedule } from "../schedules/repeat.ts";
import { startOperation } from "./start.ts";
import { stopOperation } from "./stop.ts";

const LIST = "/schedules";
const CONFIRM = `${LIST}/confirm`;

/** The selected rows of a list, or all that match its filter: redirects to the page that asks for confirmation. */
export const selectForm: Form = {
  page: LIST,
  back: selectedPage,
  verb: async (posted) => seeOther(selectedPage(posted)),
};

/**
 * The button of the confirm page. A single schedule is cancelled or replayed at once, then the list is shown; for several an
 * operation is started, then its page is shown. After an error the confirm page is shown again.
 */
export const startForm: Form = {
  page: LIST,
  back: ({ fields, env }, error) => {
    // Includes the form's key, because a request that failed may have been stored.
    const confirm = pageUrl(CONFIRM, env, Object.fromEntries(fields));
    return error.code === "UNAUTHORIZED" ? confirm : withParameter(confirm, "error", failureOf(error, fields));
  },
  async verb({ ctx, goTo, ...posted }) {
    const { fields, formKey } = posted;
    const value = (name: string) => fields.get(name) || undefined;
    const ids = value("ids")?.split(",") ?? [];
    const idempotencyKey = formKey && `form/${formKey}`;
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) {
      const flash = await actOnOne(ctx, value("action"), only, idempotencyKey);
      return seeOther(listPage(posted), [flashCookie(ctx.config, LIST, flash)]);
    }
    // A filter that got lost on the way, or became empty, is refused: it never becomes all.
    const filter = filterOf((name) => fields.get(name) ?? undefined);
    const scope = {
      ...(value("all") === "1" && { all: true }),
      ...((value("matching") === "1" || Object.keys(filter).length > 0) && { filter }),
      ...(ids.length > 0 && { schedules: ids }),
    };
    const input = validate(OperationInput, { action: value("action"), idempotencyKey, ...scope });
    const { operation } = await startOperation(ctx, input);
    return goTo(`${LIST}/operations/${encodeId("op", operation.id)}`);
  },
};

/** The button "Stop" of an operation's page. */
export const stopForm: Form = {
  page: `${LIST}/operations`,
  back: (posted, { code }) =>
    pageUrl(operationPath(posted), posted.env, code === "UNAUTHORIZED" ? {} : { error: "not_stopped" }),
  async verb({ ctx, goTo, ...posted }) {
    await stopOperation(ctx, posted.fields.get("id") ?? "");
    return goTo(operationPath(posted));
  },
};

type Fields = Pick<PostedForm, "fields" | "env">;

/** The confirm page of the selected rows, or of all that match the filter; the list, with an error, when none is selected. */
function selectedPage({ fields, env }: Fields): string {
  const ids = fields.getAll("id");
  const back = listPage({ fields, env });
  const action = fields.get("action") ?? undefined;
  if (fields.get("all") === "1") {
    const chosen = fields.get("filter");
    if (chosen === null) return withParameter(back, "error", "none");
    const filter = Object.fromEntries(new URLSearchParams(chosen));
    return pageUrl(CONFIRM, env, { ...filter, action, all: "1", back });
  }
  if (ids.length === 0) return withParameter(back, "error", "none");
  return pageUrl(CONFIRM, env, { action, ids: ids.join(","), back });
}

/** The list that the form came from. */
function listPage({ fields, env }: Fields): string {
  return parseRedirectPath(fields.get("back") ?? "") ?? pageUrl(LIST, env);
}

function operationPath({ fields }: Fields): string {
  return `${LIST}/operations/${encodeURIComponent(fields.get("id") ?? "")}`;
}

function filterOf(value: (name: string) => string | undefined) {
  const named = Object.fromEntries(FILTER_NAMES.map((name) => [name, value(name)]));
  const given = { status: value("status")?.split(","), q: value("q"), from: value("from"), to: value("to"), ...named };
  return Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined));
}

async function actOnOne(ctx: Ctx, action: string | undefined, id: string, idempotencyKey?: string): Promise<Flash> {
  if (action !== "replay") {
    await cancelSchedule(ctx, id);
    return { result: "cancel", id };
  }
  const copy = await repeatSchedule(ctx, id, idempotencyKey === undefined ? {} : { idempotencyKey });
  return { result: "replay", id: encodeId("sch", copy.id) };
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
  if (code === "VALIDATION" && !fields.get("ids")) return "filter";
  if (code !== "CONFLICT") return FAILURES[code] ?? "failed";
  if ((fields.get("ids") ?? ",").includes(",")) return "conflict";
  if (fields.get("action") === "replay") return "refused";
  return publicMessage.includes("firing") ? "firing" : "ended";
}
