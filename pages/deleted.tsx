import type { PageConfig } from "next";
import { NarrowCard } from "#components/layout/narrow-frame.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { servePage } from "../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

/** The page after an account was deleted. */
export const getServerSideProps = servePage(() => ({
  title: "Account deleted",
  isNarrow: true,
  body: (
    <NarrowCard title="The account is deleted">
      <p className="-mt-2 text-ink-soft text-sm">
        You are signed out everywhere, and nothing more is sent. Your data is erased in the background.
      </p>
      <p className="text-ink-muted text-xs">
        <TextLink standalone href="/">
          Stopwatch
        </TextLink>
      </p>
    </NarrowCard>
  ),
}));
