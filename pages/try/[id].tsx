import type { PageConfig } from "next";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { TrialCard } from "#components/trial/trial-card.tsx";
import { TrialResult } from "#components/trial/trial-result.tsx";
import { TrialRunning } from "#components/trial/trial-running.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { readTrialOffer } from "#server/trial/offer.ts";
import { readTrial, type Trial } from "#server/trial/read.ts";
import { type Shown, servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(async ({ params: { id = "" }, nonce }) => {
  const [trial, target] = await Promise.all([readTrial(id), readTrialOffer()]);
  if (trial === undefined) return MISSING;
  return {
    title: "Your trial",
    body: (
      <div className="grid grid-cols-1 gap-5 pt-[clamp(1rem,2.5vw,2rem)]">
        <h1 className="text-3xl">{titleOf(trial)}</h1>
        <Card aria-label="The request">
          <CardBody className="p-[clamp(1rem,1.7vw,1.5rem)]!">
            {trial.isOver ? <Ended trial={trial} /> : <TrialRunning {...trial} path={`/try/${id}`} nonce={nonce} />}
          </CardBody>
        </Card>
        {trial.isOver && target !== null && <TrialCard formKey={crypto.randomUUID()} target={target} />}
      </div>
    ),
  };
});

const MISSING: Shown = {
  title: "No such trial",
  status: 404,
  isNarrow: true,
  body: (
    <MissingCard title="No such trial" actions={<ButtonLink href="/try">Try it</ButtonLink>}>
      <p>Trials are kept as long as other test schedules, and then deleted.</p>
    </MissingCard>
  ),
};

function titleOf({ isOver, status }: Trial): string {
  if (!isOver) return "A real request, on its way";
  return status === "succeeded" ? "Sent, signed and answered" : "Sent, and not delivered";
}

function Ended({ trial: { attempt, fireAt, offsetMs, status } }: { trial: Trial }) {
  return (
    <TrialResult
      fireAt={fireAt}
      offsetMs={offsetMs}
      statusCode={attempt?.statusCode ?? null}
      error={status === "succeeded" ? null : (attempt?.errorText ?? "")}
      timing={
        attempt
          ? {
              late: attempt.lateMs,
              claim: attempt.claimMs,
              wait: attempt.waitMs,
              connect: attempt.connectMs,
              firstByte: attempt.firstByteMs,
            }
          : null
      }
    />
  );
}
