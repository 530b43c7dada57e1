import { NewKeyForm } from "#components/keys/new-key-form.tsx";
import { CONFIRM } from "#server/api-keys/forms.ts";
import { prepareKeys } from "#server/api-keys/prepared-keys.ts";
import { hasRecentSignIn } from "#server/auth/recent-sign-in.ts";
import { confirmAgain } from "../../confirm-again.tsx";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export default dashboardPage("/keys/new", async ({ ctx, view }) => {
  const { name = "", keyEnv = view.env, error } = view.params;
  const keys = { href: hrefIn(view.env, "/keys"), label: "API keys" };
  const asksAgain = error === CONFIRM && !hasRecentSignIn(ctx);
  return {
    title: "New API key",
    crumb: keys,
    narrow: true,
    body: asksAgain ? (
      await confirmAgain(
        { ctx, view },
        { why: "A live key needs a newer sign-in.", keep: { ...keys, label: "Cancel" } },
      )
    ) : (
      <NewKeyForm
        action="/keys/create"
        env={view.env}
        prepared={prepareKeys(ctx)}
        typed={{ name, keyEnv: keyEnv === "test" ? "test" : "live" }}
        error={error === CONFIRM ? undefined : error}
        backHref={keys.href}
      />
    ),
  };
});
