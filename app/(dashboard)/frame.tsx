import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Centred } from "#components/layout/centred.tsx";
import type { Command } from "#components/layout/commands.ts";
import { DashboardFrame } from "#components/layout/dashboard-frame.tsx";
import { FrameFoot } from "#components/layout/frame-foot.tsx";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { TestDeliveriesBand } from "#components/layout/test-deliveries-band.tsx";
import { hasSessionCookie } from "#server/auth/session-cookie.ts";
import type { Ctx } from "#server/context.ts";
import { readLastBeat } from "#server/health/beat.ts";
import { countOwnWaiting } from "#server/overview/count-waiting.ts";
import { readUsage } from "#server/overview/usage.ts";
import { readOwnRelaySettings } from "#server/relay-settings/read.ts";
import type { IntoFrame } from "../failed-page.tsx";
import { chosenTheme } from "../page-request.ts";
import { findSignedIn } from "../signed-in.ts";
import { hrefIn, type View } from "./view.ts";

type FrameFacts = Awaited<ReturnType<typeof readFrameFacts>>;

/** What the frame says of the account and of the dispatchers. */
export async function readFrameFacts(ctx: Ctx) {
  const [beat, usage, waiting, { testDeliveriesUntil }] = await Promise.all([
    readLastBeat(),
    readUsage(ctx),
    countOwnWaiting(ctx),
    ctx.tenant.env === "test" ? readOwnRelaySettings(ctx) : { testDeliveriesUntil: null },
  ]);
  return { beat, usage, waiting, testDeliveriesUntil };
}

/** A page in the frame of signed-in people. Where `ctx` or `facts` could not be read, the frame has the rest. */
export async function Framed({
  view,
  ctx,
  facts,
  commands,
  children,
}: {
  view: View;
  ctx: Ctx | undefined;
  facts: FrameFacts | undefined;
  commands?: readonly Command[];
  children: ReactNode;
}) {
  const session = ctx?.credential.kind === "session" ? ctx.credential : undefined;
  const until = facts?.testDeliveriesUntil;
  return (
    <DashboardFrame
      theme={await chosenTheme()}
      env={view.env}
      envLinks={{ live: hrefIn("live", view.path), test: hrefIn("test", view.path) }}
      current={view.path}
      isAdmin={session?.isAdmin ?? false}
      email={session?.email}
      waiting={facts?.waiting}
      commands={commands}
      band={until && <TestDeliveriesBand until={until} zone={view.zone} action="/relay/test-deliveries" />}
      foot={facts && <FrameFoot usage={{ ...facts.usage, href: hrefIn(view.env, "/usage") }} beat={facts.beat} />}
    >
      {children}
    </DashboardFrame>
  );
}

/**
 * The frame of signed-in people as far as it can be read. While the database is away nobody knows who they are, and a session
 * cookie is enough. Without a session a narrow frame.
 */
export function frameOf(view: View): IntoFrame {
  return async (content) => {
    const ctx = await orUndefined(findSignedIn(view.env));
    const isSignedIn = ctx ?? (ctx === undefined && hasSessionCookie((await headers()).get("cookie")));
    if (!isSignedIn) return <NarrowFrame theme={await chosenTheme()}>{content}</NarrowFrame>;
    const facts = ctx ? await orUndefined(readFrameFacts(ctx)) : undefined;
    return (
      <Framed view={view} ctx={ctx ?? undefined} facts={facts}>
        <Centred>{content}</Centred>
      </Framed>
    );
  };
}

const orUndefined = <T,>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined);
