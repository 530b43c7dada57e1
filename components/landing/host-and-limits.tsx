import type { PlanName, Plans } from "#domain/plans.ts";
import { nameOf, PlanTable } from "../plans/plan-table.tsx";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Source and price, how to self-host, and the configured plan limits. `isPaid`: this installation has a paid plan. */
export function HostAndLimits({
  plans,
  defaultPlan,
  isPaid,
}: {
  plans: Plans;
  defaultPlan: PlanName;
  isPaid: boolean;
}) {
  return (
    <section className="mt-[clamp(3rem,7vw,5.5rem)] grid grid-cols-[repeat(auto-fit,minmax(min(100%,22rem),1fr))] items-start gap-10">
      <div id="host" className="grid min-w-0 grid-cols-1 gap-4">
        <h2 className="text-2xl">Yours to host</h2>
        <p className="max-w-112 text-ink-soft text-lg">
          A web API and a dispatcher over one PostgreSQL. The first start brings its own database; later, name yours.
          Limits are a setting.
        </p>
        <p className="max-w-112 text-ink-soft">
          <b className="font-medium text-ink">Source:</b> open, under the Apache License 2.0.{" "}
          <b className="font-medium text-ink">Price:</b> nothing; you pay your own machine.
        </p>
        <CodeBlock title="Terminal" what="self-host commands" code={"npm ci\nnpm start"} />
        <p className="text-ink-muted text-xs">
          In a copy of the source. It listens on http://localhost:3000.{" "}
          <TextLink href="/docs/self-hosting">Self-hosting</TextLink> has the rest.
        </p>
      </div>
      <div className="grid min-w-0 grid-cols-1 gap-4">
        <h2 className="text-2xl">Limits here</h2>
        <Card>
          <PlanTable plans={plans} />
        </Card>
        <p className="text-ink-muted text-xs">
          New accounts are on {nameOf(defaultPlan)}. The operator of this installation sets these limits.{" "}
          {isPaid
            ? `${nameOf("indie")} is paid for by the month; its price is shown before you pay.`
            : "No plan here is paid for."}
        </p>
      </div>
    </section>
  );
}
