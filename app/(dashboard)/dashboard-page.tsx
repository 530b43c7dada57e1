import { cookies, headers } from "next/headers";
import { redirect, unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { DashboardFrame } from "#components/layout/dashboard-frame.tsx";
import { type Beat, FrameFoot, type FrameUsage } from "#components/layout/frame-foot.tsx";
import { PageBar, PageBody } from "#components/layout/page-bar.tsx";
import { readTimes, readZone, TIMES_COOKIE, ZONE_COOKIE } from "#components/layout/times.ts";
import { TimesSwitch } from "#components/layout/times-switch.tsx";
import { ZoneMemory } from "#components/layout/zone-memory.tsx";
import type { Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { signInPageUrl } from "#server/auth/redirects.ts";
import type { Ctx } from "#server/context.ts";
import { registerCountedRoute } from "#server/edge/counted-routes.ts";
import { hasRenderingFailed, isAnswerToForm } from "#server/edge/page-answer.ts";
import { readLastBeat } from "#server/health/beat.ts";
import { readFlash } from "#server/http/flash-cookie.ts";
import { readUsage } from "#server/overview/usage.ts";
import { brokenPage, failedPage } from "../failed-page.tsx";
import { chosenTheme } from "../page-request.ts";
import { readSearchParams, type SearchParams } from "../search-params.ts";
import { findSignedIn } from "../signed-in.ts";
import { missingPage } from "./missing-page.tsx";
import { signedOutPage } from "./signed-out-page.tsx";
import { hrefIn, type View } from "./view.ts";

/** What a page of the dashboard shows. */
export type Shown = {
  /** The heading. */
  title: string;
  /** The title of the document, where `title` alone does not say what the page is about. */
  documentTitle?: string | undefined;
  crumb?: { href: string; label: string };
  /** Controls of the view, in the page bar. */
  tools?: ReactNode;
  /** The main action, in the page bar. */
  action?: ReactNode;
  /** A narrow column, for forms. */
  narrow?: boolean;
  body: ReactNode;
};

/** The input of a page. `routeParams` are the values of the segments in its path, such as `[id]`. */
export type Opened = { ctx: Ctx; view: View; beat: Beat; routeParams: Readonly<Record<string, string>> };

type PageProps = { params: Promise<Record<string, string>>; searchParams: SearchParams };

/**
 * A page of the dashboard at `path` (`/schedules/[id]`). Without a session it redirects to sign-in, which returns here. All
 * data is read before anything is rendered, so that a failure is a whole page with its own status, which needs no script: 404
 * when a verb throws NOT_FOUND, 503 with the id of the request while the database is unavailable.
 */
export function dashboardPage(path: string, show: (opened: Opened) => Promise<Shown>) {
  registerCountedRoute({ method: "GET", path });
  return async ({ params, searchParams }: PageProps) => {
    const routeParams = await params;
    const view = await readView(fillIn(path, routeParams), await readSearchParams(searchParams));
    const own = hrefIn(view.env, view.path, view.params);
    if (hasRenderingFailed()) return brokenPage(own);
    try {
      const ctx = await findSignedIn(view.env);
      if (ctx === null) return signedOut(own);
      const showNow = async () => show({ ctx, view, beat: await readLastBeat(), routeParams });
      const [shown, beat, usage] = await Promise.all([showNow(), readLastBeat(), readUsage(ctx)]);
      return <Page ctx={ctx} view={view} own={own} shown={shown} beat={beat} usage={usage} />;
    } catch (error) {
      unstable_rethrow(error);
      if (error instanceof AppError && error.code === "NOT_FOUND") return missingPage(path);
      if (error instanceof AppError && error.code === "UNAUTHORIZED") return signedOut(own);
      return failedPage(error, own);
    }
  };
}

/** Redirects to sign-in, which returns here. A form sent without scripts gets a page, from which it can be sent again. */
function signedOut(own: string) {
  const href = signInPageUrl("/login", {}, own);
  return isAnswerToForm() ? signedOutPage(href) : redirect(href);
}

async function Page({
  ctx,
  view,
  own,
  shown,
  beat,
  usage,
}: {
  ctx: Ctx;
  view: View;
  /** The address of this page. */
  own: string;
  shown: Shown;
  beat: Beat;
  usage: Omit<FrameUsage, "href">;
}) {
  const { credential } = ctx;
  const session = credential.kind === "session" ? credential : null;
  return (
    <DashboardFrame
      theme={await chosenTheme()}
      env={view.env}
      envLinks={{ live: hrefIn("live", view.path), test: hrefIn("test", view.path) }}
      current={view.path}
      isAdmin={session?.isAdmin ?? false}
      email={session?.email ?? ""}
      foot={<FrameFoot usage={{ ...usage, href: hrefIn(view.env, "/usage") }} beat={beat} />}
    >
      <title>{`${shown.documentTitle ?? shown.title} · Stopwatch`}</title>
      <ZoneMemory known={view.browserZone} />
      <PageBar
        title={shown.title}
        crumb={shown.crumb}
        tools={
          <>
            {shown.tools}
            <TimesSwitch times={view.times} zone={view.browserZone} back={own} />
          </>
        }
        action={shown.action}
      />
      <PageBody narrow={shown.narrow}>{shown.body}</PageBody>
    </DashboardFrame>
  );
}

async function readView(path: string, params: View["params"]): Promise<View> {
  const jar = await cookies();
  const env: Environment = params.env === "test" ? "test" : "live";
  const times = readTimes(jar.get(TIMES_COOKIE)?.value);
  const browserZone = readZone(jar.get(ZONE_COOKIE)?.value);
  const zone = times === "local" ? (browserZone ?? "UTC") : "UTC";
  const flash = readFlash((await headers()).get("cookie"), path);
  return { path, params, env, times, browserZone, zone, flash, now: new Date() };
}

/** `/schedules/[id]` with the value of `id`. */
function fillIn(path: string, routeParams: Record<string, string>): string {
  return path.replace(/\[(\w+)\]/g, (_, name: string) => encodeURIComponent(routeParams[name] ?? ""));
}
