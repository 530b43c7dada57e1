import { cookies } from "next/headers";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { readTheme, THEME_COOKIE } from "#components/layout/theme.ts";
import { SignInCard } from "#components/sign-in/sign-in-card.tsx";

export const metadata = { title: "Sign in, as a part · Stopwatch", robots: { index: false } };

/** The frame of one card, with the card that it is mostly for. */
export default async function Narrow() {
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <NarrowFrame theme={theme}>
      <SignInCard
        action="#sign-in"
        providers={[
          { id: "google", href: "#google" },
          { id: "github", href: "#github" },
        ]}
      />
    </NarrowFrame>
  );
}
