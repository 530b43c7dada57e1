import { ReceiverSamples } from "#components/signing/receiver-samples.tsx";
import { RotationSteps } from "#components/signing/rotation-steps.tsx";
import { SecretPair } from "#components/signing/secret-pair.tsx";
import { SignatureChecker } from "#components/signing/signature-checker.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { Tag } from "#components/ui/tag.tsx";
import { readOwnSigningSecrets } from "#server/signing-secrets/read.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { hrefIn } from "../view.ts";

export default dashboardPage("/signing", async ({ ctx, view }) => {
  const { current, next, rotatedAt } = await readOwnSigningSecrets(ctx);
  return {
    title: "Signing secrets",
    tools: <Tag kind={view.env}>{view.env}</Tag>,
    body: (
      <>
        <FormOutcome message={view.flash?.result === "rotated" ? ROTATED : undefined} error={view.params.error} />
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="grid min-w-0 grid-cols-1 gap-5">
            <SecretPair current={current} next={next} rotatedAt={rotatedAt} now={view.now} zone={view.zone} />
            <ReceiverSamples />
          </div>
          <div className="grid min-w-0 grid-cols-1 gap-5">
            <RotationSteps
              env={view.env}
              rotatedAt={rotatedAt}
              now={view.now}
              zone={view.zone}
              rotateHref={hrefIn(view.env, "/signing/rotate")}
            />
            <SignatureChecker current={current} next={next} />
          </div>
        </div>
      </>
    ),
  };
});

const ROTATED = "Rotated. Put the new next secret beside the current one at every receiver.";
