import { PLAN_NAMES, type PlanName } from "#domain/plans.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { SelectField } from "../ui/field.tsx";

/** Sets the plan that the operator grants to an account. */
export function PlanForm({ action, id, env, granted }: { action: string; id: string; env: string; granted: PlanName }) {
  return (
    <Card aria-labelledby="set-plan">
      <CardHead title="Granted plan" id="set-plan" />
      <CardBody>
        <form action={action} method="post" className="flex flex-wrap items-end gap-3">
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="env" value={env} />
          <SelectField name="plan" label="Plan" defaultValue={granted} key={granted} className="min-w-36">
            {PLAN_NAMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </SelectField>
          <Button type="submit" className="h-9">
            Set plan
          </Button>
        </form>
      </CardBody>
    </Card>
  );
}
