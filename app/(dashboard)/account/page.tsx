import { cookies } from "next/headers";
import { Sessions } from "#components/account/sessions.tsx";
import { WhoYouAre } from "#components/account/who-you-are.tsx";
import { PublicFrame } from "#components/layout/public-frame.tsx";
import { readTheme, THEME_COOKIE } from "#components/layout/theme.ts";
import { presentProfile } from "#server/me/present.ts";
import { readOwnProfile } from "#server/me/read.ts";
import { listOwnSessions, presentSession } from "#server/me/sessions.ts";
import { readSearchParams, type SearchParams } from "../../search-params.ts";
import { requireSignedIn } from "../../signed-in.ts";

export const metadata = { title: "Account", robots: "noindex" };

export default async function Account({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await requireSignedIn("/account");
  const profile = presentProfile(ctx, await readOwnProfile(ctx));
  const sessions = (await listOwnSessions(ctx)).map((session) => presentSession(ctx, session));
  const { ended } = await readSearchParams(searchParams);
  return (
    <PublicFrame theme={readTheme((await cookies()).get(THEME_COOKIE)?.value)}>
      <div className="mx-auto grid w-full max-w-160 grid-cols-1 gap-6 pt-10">
        <h1 className="text-xl">Account</h1>
        <WhoYouAre profile={profile} hasBilling={ctx.config.stripe !== undefined} signOutAction="/account/sign-out" />
        <Sessions sessions={sessions} endOthersAction="/account/sign-out-elsewhere" haveEnded={ended === "1"} />
      </div>
    </PublicFrame>
  );
}
