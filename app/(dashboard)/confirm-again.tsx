import type { ReactNode } from "react";
import { ConfirmAgain } from "#components/sign-in/confirm-again.tsx";
import { enabledProviders } from "#server/auth/enabled-providers.ts";
import type { Ctx } from "#server/context.ts";
import { hrefWith, type View } from "./view.ts";

/** Asks for a new sign-in in place of the form of this page, and leads back to the page as it is, without its error. */
export function confirmAgain(
  { ctx, view }: { ctx: Ctx; view: View },
  { why, keep }: { why: ReactNode; keep: { href: string; label: string } },
) {
  const redirectTo = hrefWith(view, { error: undefined });
  const query = new URLSearchParams({ redirectTo });
  return (
    <ConfirmAgain
      email={ctx.credential.kind === "session" ? ctx.credential.email : ""}
      action="/login/send"
      redirectTo={redirectTo}
      providers={enabledProviders(ctx.config).map((id) => ({ id, href: `/v1/auth/oauth/${id}/start?${query}` }))}
      keep={keep}
    >
      {why}
    </ConfirmAgain>
  );
}
