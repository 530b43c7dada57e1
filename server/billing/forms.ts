import type { Reply } from "../http/reply.ts";
import { handOverCookie } from "../http/sealed-value.ts";
import type { FormCall } from "../routes/form-route.ts";
import { startCheckout } from "./checkout.ts";
import { openPortal } from "./portal.ts";

/** The page with the link to the billing provider. */
export const CONTINUE_PATH = "/account/continue";

/** "Upgrade": starts a checkout, and hands its URL to the page that links to it. */
export async function checkoutByForm({ ctx, goTo }: FormCall): Promise<Reply> {
  const { url } = await startCheckout(ctx);
  return goTo(CONTINUE_PATH, {}, [handOverCookie(ctx, CONTINUE_PATH, { url, to: "checkout" })]);
}

/** "Manage billing": opens the portal, and hands its URL to the page that links to it. */
export async function portalByForm({ ctx, goTo }: FormCall): Promise<Reply> {
  const { url } = await openPortal(ctx);
  return goTo(CONTINUE_PATH, {}, [handOverCookie(ctx, CONTINUE_PATH, { url, to: "portal" })]);
}
