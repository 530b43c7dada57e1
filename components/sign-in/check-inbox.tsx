import type { ComponentProps } from "react";
import { NarrowCard } from "../layout/narrow-frame.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";

/**
 * Shown after a link was requested; the same text whether or not the address has an account. `isSignupOpen` false: says that
 * not every address is sent one. `isMailSetUp` false: says that the link is in the operator's terminal, since no mail is
 * sent.
 */
export function CheckInbox({
  email,
  action,
  redirectTo,
  isMailSetUp,
  isSignupOpen = true,
  changeHref = "/login",
}: {
  email: string;
  action: ComponentProps<"form">["action"];
  redirectTo?: string;
  isMailSetUp: boolean;
  isSignupOpen?: boolean;
  changeHref?: string;
}) {
  return (
    <NarrowCard title={isMailSetUp ? "Check your e-mail" : "Look in the terminal"}>
      <p role="status" className="-mt-2 text-ink-soft text-sm">
        {isSignupOpen ? "A" : "If this address may sign in here, a"}
        {isMailSetUp ? " link is on its way to " : " link was made for "}
        <b className="wrap-anywhere font-medium text-ink">{email}</b>. It works once, for 15 minutes, in this browser.
      </p>
      {!isMailSetUp && (
        <Notice kind="info">
          This installation sends no mail yet. The mail is a file in its mailbox folder, which the terminal names.
        </Notice>
      )}
      <form
        action={action}
        {...(typeof action === "string" && { method: "post" })}
        className="text-ink-muted text-xs leading-5"
      >
        <input type="hidden" name="email" value={email} />
        {redirectTo !== undefined && <input type="hidden" name="redirectTo" value={redirectTo} />}
        {isMailSetUp ? "Nothing after a minute? Check the spam folder, or " : "Not there? You can "}
        <button
          type="submit"
          className="min-h-6 cursor-pointer text-accent underline decoration-accent-line underline-offset-[0.2em] hover:decoration-accent"
        >
          {isMailSetUp ? "send it again" : "make another"}
        </button>
        . Wrong address? <TextLink href={changeHref}>Change it</TextLink>.
      </form>
    </NarrowCard>
  );
}
