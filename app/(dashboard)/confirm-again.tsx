import type { ReactNode } from "react";
import { ConfirmAgain } from "#components/sign-in/confirm-again.tsx";
import { enabledProviders } from "#server/auth/enabled-providers.ts";
import type { Ctx } from "#server/context.ts";
import { listOwnIdentities } from "#server/identities/list.ts";
import { hrefWith, type View } from "./view.ts";

/**
 * Shown in place of a form that needs a newer sign-in. The sign-in returns to this page with its parameters, without `error`.
 * Offers the providers whose identities open the account: another one would not.
 */
export async function confirmAgain(
  { ctx, view }: { ctx: Ctx; view: View },
  { why, keep }: { why: ReactNode; keep: { href: string; label: string } },
) {
  const redirectTo = hrefWith(view, { error: undefined });
  const query = new URLSearchParams({ redirectTo });
  const linked = new Set((await listOwnIdentities(ctx)).map(({ provider }) => provider));
  const providers = enabledProviders(ctx.config).filter((id) => linked.has(id));
  return (
    <ConfirmAgain
      email={ctx.credential.kind === "session" ? ctx.credential.email : ""}
      action="/login/send"
      redirectTo={redirectTo}
      providers={providers.map((id) => ({ id, href: `/v1/auth/oauth/${id}/start?${query}` }))}
      keep={keep}
    >
      {why}
    </ConfirmAgain>
  );
}
