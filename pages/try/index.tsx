import type { PageConfig } from "next";
import { TrialCard } from "#components/trial/trial-card.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { readTrialOffer } from "#server/trial/offer.ts";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(async ({ query: { error } }) => {
  const target = await readTrialOffer();
  return {
    title: "Try it",
    description: "One real request in 5 s, without an account, and how late it was.",
    canonical: "/try",
    body: (
      <div className="grid grid-cols-1 gap-5 pt-[clamp(1rem,2.5vw,2rem)]">
        {error !== undefined && (
          <Notice kind="warn" announce="alert">
            <b>Nothing was sent.</b>{" "}
            {error === "QUOTA_EXCEEDED" ? "The trials of this month are used up." : "Try again in a moment."}
          </Notice>
        )}
        {target === null ? <NotOffered /> : <TrialCard heading="h1" formKey={crypto.randomUUID()} target={target} />}
      </div>
    ),
  };
});

function NotOffered() {
  return (
    <Card>
      <EmptyState
        title="There are no trials here now"
        heading="h1"
        art="no-match"
        actions={<ButtonLink href="/docs">Documentation</ButtonLink>}
      >
        <p>
          This installation sends trials only while a dispatcher is running, at an https address that may be a target.
          With an API key it takes schedules.
        </p>
      </EmptyState>
    </Card>
  );
}
