import { Confirm } from "#components/ui/confirm.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { TextField } from "#components/ui/field.tsx";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";
import { readKey } from "../../read-key.ts";

export default dashboardPage("/keys/[id]/revoke", async ({ ctx, view, routeParams }) => {
  const key = await readKey(ctx, routeParams.id);
  const keys = { href: hrefIn(view.env, "/keys"), label: "API keys" };
  const error = view.params.error === "name" ? `Type ${key.name}, exactly.` : undefined;
  return {
    title: "Revoke",
    documentTitle: "Revoke an API key",
    crumb: keys,
    narrow: true,
    body: (
      <>
        <ErrorSummary problems={error ? [{ id: "name", message: error }] : []} />
        <Confirm
          title={`Revoke ${key.name}?`}
          action="/keys/revoke"
          fields={{ id: key.id, env: view.env }}
          label="Revoke key"
          keep={{ href: keys.href, label: "Keep it" }}
          reason={key.revoked_at === null ? undefined : "It is revoked already."}
        >
          <p>
            The {key.env} key that ends in <code>{key.last4}</code> stops working at once. It cannot be undone.
            Schedules that it created stay.
          </p>
          <TextField
            id="name"
            name="name"
            label={`Type ${key.name} to confirm`}
            error={error}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="max-w-80"
            required
          />
        </Confirm>
      </>
    ),
  };
});
