import type { PlanName, Plans } from "#domain/plans.ts";
import { PlanTable } from "../plans/plan-table.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { type Payment, PaymentState, type Subscription } from "./payment-state.tsx";

/** The account's plan, the actions on it, and a comparison of the plans. */
export function PlanCard({
  plan,
  plans,
  subscription,
  payment,
}: {
  plan: PlanName;
  plans: Plans;
  subscription: Subscription;
  payment: Payment;
}) {
  return (
    <Card aria-labelledby="plan">
      <CardHead title="Plan and billing" id="plan" />
      <CardBody>
        <PaymentState subscription={subscription} payment={payment} />
      </CardBody>
      <div className="border-line border-t">
        <PlanTable own={plan} plans={plans} />
      </div>
    </Card>
  );
}
