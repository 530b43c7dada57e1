import type { Environment } from "#domain/environment.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardFoot } from "../ui/card.tsx";
import { Radio } from "../ui/choice.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { TextField } from "../ui/field.tsx";
import { FormOutcome } from "../ui/form-outcome.tsx";

/** The form of a new API key. `prepared` is what `prepareKeys` returned for this form; `error` is a code. */
export function NewKeyForm({
  action,
  env,
  prepared,
  typed,
  error,
  backHref,
}: {
  action: string;
  env: string;
  prepared: string;
  typed: { name: string; keyEnv: Environment };
  error: string | undefined;
  backHref: string;
}) {
  const nameError = error === "name" ? "A name has 1 to 80 characters on one line." : undefined;
  return (
    <>
      <ErrorSummary problems={nameError ? [{ id: "name", message: nameError }] : []} />
      <FormOutcome error={nameError ? undefined : error} words={FAILED} />
      <Card>
        <form method="post" action={action}>
          <input type="hidden" name="env" value={env} />
          <input type="hidden" name="prepared" value={prepared} />
          <CardBody className="grid grid-cols-1 gap-4">
            <TextField
              id="name"
              name="name"
              label="Name"
              hint="What will use it, such as checkout-worker."
              error={nameError}
              defaultValue={typed.name}
              maxLength={80}
              autoComplete="off"
              className="max-w-80"
              required
            />
            <fieldset className="grid gap-1">
              <legend className="pb-1 font-medium text-sm">Environment</legend>
              <Radio
                name="keyEnv"
                value="live"
                label="Live"
                hint="Requests count in the month's quota."
                defaultChecked={typed.keyEnv === "live"}
              />
              <Radio
                name="keyEnv"
                value="test"
                label="Test"
                hint="Requests are really sent, but free, within a quota of their own."
                defaultChecked={typed.keyEnv === "test"}
              />
            </fieldset>
          </CardBody>
          <CardFoot className="justify-end">
            <ButtonLink href={backHref}>Back</ButtonLink>
            <Button type="submit" kind="primary">
              Create key
            </Button>
          </CardFoot>
        </form>
      </Card>
    </>
  );
}

const FAILED = new Map(
  Object.entries({
    stale: "This form was too old. Press again.",
    CONFLICT: "This account has as many keys as its plan allows. Revoke one first.",
    daily: "This account made as many keys as its plan allows within 24 hours. Keys can still be revoked.",
  }),
);
