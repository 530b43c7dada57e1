import { Confirm } from "#components/ui/confirm.tsx";
import { SelectField } from "#components/ui/field.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { prepareKeys } from "#server/api-keys/prepared-keys.ts";
import { hasRecentSignIn } from "#server/auth/recent-sign-in.ts";
import { confirmAgain } from "../../../confirm-again.tsx";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";
import { readKey } from "../../read-key.ts";

export default dashboardPage("/keys/[id]/rotate", async ({ ctx, view, routeParams }) => {
  const key = await readKey(ctx, routeParams.id);
  const keys = { href: hrefIn(view.env, "/keys"), label: "API keys" };
  const asksAgain = key.env === "live" && key.revoked_at === null && !hasRecentSignIn(ctx);
  const why = (
    <>
      Rotating the live key <b className="wrap-anywhere font-medium">{key.name}</b> needs a newer sign-in.
    </>
  );
  return {
    title: "Rotate",
    documentTitle: "Rotate an API key",
    crumb: keys,
    narrow: true,
    body: asksAgain ? (
      await confirmAgain({ ctx, view }, { why, keep: { ...keys, label: "Keep it" } })
    ) : (
      <>
        <FormOutcome error={view.params.error} words={FAILED} />
        <Confirm
          title={`Rotate ${key.name}?`}
          action="/keys/rotate"
          fields={{ id: key.id, env: view.env, prepared: prepareKeys(ctx) }}
          label="Rotate now"
          keep={{ href: keys.href, label: "Keep it" }}
          reason={
            key.revoked_at !== null
              ? "It is revoked already."
              : key.expires_at !== null
                ? "It was rotated already."
                : undefined
          }
        >
          <p>
            The {key.env} key that ends in <code>{key.last4}</code> stops working at once, or when you say. API requests
            that still use it then get 401. The next page shows its replacement, once.
          </p>
          <SelectField name="overlapHours" label="The old key stops working" defaultValue="0">
            {OVERLAPS.map(([hours, words]) => (
              <option key={hours} value={hours}>
                {words}
              </option>
            ))}
          </SelectField>
        </Confirm>
      </>
    ),
  };
});

const OVERLAPS = [
  ["0", "at once"],
  ["1", "in 1 hour"],
  ["4", "in 4 hours"],
  ["12", "in 12 hours"],
  ["24", "in 24 hours"],
] as const;

const FAILED = new Map(
  Object.entries({
    stale: "This page was too old. Press again.",
    CONFLICT:
      "Nothing was changed: the key was revoked or rotated already, or the account has as many keys as its plan allows, so that two cannot be valid at a time.",
    daily:
      "Nothing was changed: this account made as many keys as its plan allows within 24 hours. Keys can still be revoked.",
  }),
);
