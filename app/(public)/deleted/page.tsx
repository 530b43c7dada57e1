import { NarrowCard, NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { chosenTheme } from "../../page-request.ts";

export const metadata = { title: "Account deleted", robots: "noindex" };

/** The page after an account was deleted. */
export default async function Deleted() {
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <NarrowCard title="The account is deleted">
        <p className="-mt-2 text-ink-soft text-sm">
          You are signed out everywhere, and nothing more is sent. What is stored is erased in the background.
        </p>
        <p className="text-ink-muted text-xs">
          <TextLink standalone href="/">
            Stopwatch
          </TextLink>
        </p>
      </NarrowCard>
    </NarrowFrame>
  );
}
