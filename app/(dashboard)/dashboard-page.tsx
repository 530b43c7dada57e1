import { redirect, unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import type { Command } from "#components/layout/commands.ts";
import type { Beat } from "#components/layout/frame-foot.tsx";
import { NarrowCard, NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { PageBar, PageBody } from "#components/layout/page-bar.tsx";
import { TimesSwitch } from "#components/layout/times-switch.tsx";
import { ZoneMemory } from "#components/layout/zone-memory.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { AppError } from "#domain/errors.ts";
import { signInPageUrl } from "#server/auth/redirects.ts";
import type { Ctx } from "#server/context.ts";
import { readLastBeat } from "#server/health/beat.ts";
import { registerCountedRoute } from "#server/http/counted-routes.ts";
import { answerPageWith, hasRenderingFailed, isAnswerToForm } from "#server/http/page-answer.ts";
import { SendAgain } from "../failed-card.tsx";
import { brokenPage, failedPage } from "../failed-page.tsx";
import { chosenTheme } from "../page-request.ts";
import { readSearchParams, type SearchParams } from "../search-params.ts";
import { findSignedIn } from "../signed-in.ts";
import { Framed, frameOf, readFrameFacts } from "./frame.tsx";
import { missingPage } from "./missing-page.tsx";
import { readView } from "./read-view.ts";
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
  /** The acts on what the page shows, for the palette. */
  commands?: readonly Command[];
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
    const intoFrame = frameOf(view);
    if (hasRenderingFailed()) return brokenPage(own, intoFrame);
    try {
      const ctx = await findSignedIn(view.env);
      if (ctx === null) return signedOut(own);
      const showNow = async () => show({ ctx, view, beat: await readLastBeat(), routeParams });
      const [shown, facts] = await Promise.all([showNow(), readFrameFacts(ctx)]);
      return (
        <Framed view={view} ctx={ctx} facts={facts} commands={shown.commands}>
          {pageOf(shown, view, own)}
        </Framed>
      );
    } catch (error) {
      unstable_rethrow(error);
      if (error instanceof AppError && error.code === "NOT_FOUND") return missingPage(path, intoFrame);
      if (error instanceof AppError && error.code === "UNAUTHORIZED") return signedOut(own);
      return failedPage(error, own, intoFrame);
    }
  };
}

/** Redirects to sign-in, which returns here. A form sent without scripts gets a page, from which it can be sent again. */
function signedOut(own: string) {
  const href = signInPageUrl("/login", {}, own);
  return isAnswerToForm() ? signedOutPage(href) : redirect(href);
}

/** What stands in the frame. `own` is the address of this page. */
function pageOf({ title, documentTitle = title, crumb, tools, action, narrow, body }: Shown, view: View, own: string) {
  return (
    <>
      <title>{`${documentTitle} · Stopwatch`}</title>
      <ZoneMemory known={view.browserZone} />
      <PageBar
        title={title}
        crumb={crumb}
        tools={
          <>
            {tools}
            <TimesSwitch times={view.times} zone={view.browserZone} back={own} />
          </>
        }
        action={action}
      />
      <PageBody narrow={narrow}>{body}</PageBody>
    </>
  );
}

/** `/schedules/[id]` with the value of `id`. */
function fillIn(path: string, routeParams: Record<string, string>): string {
  return path.replace(/\[(\w+)\]/g, (_, name: string) => encodeURIComponent(routeParams[name] ?? ""));
}

/** The answer to a form that was sent without a session and without scripts: nothing typed is lost. */
async function signedOutPage(signInHref: string) {
  answerPageWith(401);
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <title>You are signed out · Stopwatch</title>
      <NarrowCard title="You are signed out">
        <Notice kind="bad" announce="alert">
          <b>Not stored.</b> The session ended before the form was sent.
        </Notice>
        <p>
          <TextLink href={signInHref} target="_blank">
            Sign in in another tab
          </TextLink>
          , then come back here.
        </p>
        <SendAgain />
      </NarrowCard>
    </NarrowFrame>
  );
}
