import { NewKeyForm } from "#components/keys/new-key-form.tsx";
import { prepareKeys } from "#server/api-keys/prepared-keys.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export default dashboardPage("/keys/new", async ({ ctx, view }) => {
  const { name = "", keyEnv = view.env, error } = view.params;
  const keys = { href: hrefIn(view.env, "/keys"), label: "API keys" };
  return {
    title: "New API key",
    crumb: keys,
    narrow: true,
    body: (
      <NewKeyForm
        action="/keys/create"
        env={view.env}
        prepared={prepareKeys(ctx)}
        typed={{ name, keyEnv: keyEnv === "test" ? "test" : "live" }}
        error={error}
        backHref={keys.href}
      />
    ),
  };
});
