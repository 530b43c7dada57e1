import { DatabaseUnavailable } from "#db/client.ts";
import { type Environment, environmentOf, environmentQuery } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { refererPath, signedOutPageUrl } from "../auth/redirects.ts";
import type { Ctx } from "../context.ts";
import { readPageCtx } from "../page-ctx.ts";
import { type Done, doneCookie } from "./done-cookie.ts";
import { type FormCall, formRoute } from "./form-route.ts";
import { type Reply, seeOther } from "./reply.ts";

export type DashboardFormCall = FormCall & {
  ctx: Ctx;
  env: Environment;
  /** A redirect to a page of the dashboard in the environment of the form. */
  goTo(path: string, query?: Query, cookies?: readonly string[]): Reply;
  /** The same, to a page that says once what was done. */
  finish(path: string, done: Done, cookies?: readonly string[]): Reply;
};

/** What was done stands in no address: see `finish`. */
type Query = Readonly<Record<string, string | undefined>> & { did?: never };

/**
 * The route handlers of a form of the dashboard, as `formRoute`; `work` gets the signed-in user's context in the
 * environment of the field `env`. Without a session it redirects to sign-in, and from there back to the form's page. When `work`
 * throws an AppError, it redirects to `page` with the error's code as `error`.
 */
export function dashboardForm(page: string, work: (call: DashboardFormCall) => Promise<Reply>) {
  return formRoute(page, async (call) => {
    const env = environmentOf(call.fields.get("env"));
    const goTo: DashboardFormCall["goTo"] = (path, query = {}, cookies = []) =>
      seeOther(pageUrl(path, env, query), cookies);
    const finish: DashboardFormCall["finish"] = (path, done, cookies = []) =>
      goTo(path, {}, [doneCookie(call.services.config, path, done), ...cookies]);
    const from = refererPath(call.request.headers, call.services.config.baseUrl);
    const signIn = () => seeOther(signedOutPageUrl(from ?? pageUrl(page, env)));
    try {
      const ctx = await readPageCtx(call.request.headers, { env, writes: true });
      if (ctx === null) return signIn();
      return await work({ ...call, ctx, env, goTo, finish });
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof DatabaseUnavailable) throw error;
      if (error.code === "UNAUTHORIZED") return signIn();
      return goTo(page, { error: error.code });
    }
  });
}

function pageUrl(path: string, env: Environment, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams({ ...Object.fromEntries(given), ...environmentQuery(env) });
  return search.size > 0 ? `${path}?${search}` : path;
}
