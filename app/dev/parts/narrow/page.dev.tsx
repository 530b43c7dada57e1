import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { SignInCard } from "#components/sign-in/sign-in-card.tsx";
import { chosenTheme } from "../../../page-request.ts";

export const metadata = { title: "Sign in, as a part", robots: { index: false } };

/** The narrow frame with the sign-in card. */
export default async function Narrow() {
  const theme = await chosenTheme();
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
