import { Sessions } from "#components/account/sessions.tsx";
import { WhoYouAre } from "#components/account/who-you-are.tsx";
import { presentProfile } from "#server/me/present.ts";
import { readOwnProfile } from "#server/me/read.ts";
import { listOwnSessions, presentSession } from "#server/me/sessions.ts";
import { dashboardPage } from "../dashboard-page.tsx";

export const metadata = { title: "Account and billing", robots: "noindex" };

export default dashboardPage("/account", async ({ ctx, view }) => {
  const profile = presentProfile(ctx, await readOwnProfile(ctx));
  const sessions = (await listOwnSessions(ctx)).map((session) => presentSession(ctx, session));
  return {
    title: "Account and billing",
    narrow: true,
    body: (
      <>
        <WhoYouAre profile={profile} hasBilling={ctx.config.stripe !== undefined} signOutAction="/account/sign-out" />
        <Sessions
          sessions={sessions}
          endOthersAction="/account/sign-out-elsewhere"
          haveEnded={view.params.ended === "1"}
        />
      </>
    ),
  };
});
