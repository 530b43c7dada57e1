import type { ComponentProps } from "react";
import { NarrowCard } from "../layout/narrow-frame.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { type SignInFailureCode, signInFailure } from "./failures.ts";
import { type Provider, ProviderLinks } from "./provider-links.tsx";

type FormAction = ComponentProps<"form">["action"];

/**
 * The sign-in form, with `failure` after a failed sign-in. It sends `email` and, if given, `redirectTo`. `email` is the
 * submitted text, `emailError` the error when it is not an address.
 */
export function SignInCard({
  action,
  redirectTo,
  email,
  emailError,
  providers,
  failure,
  retryHref = "/login",
  isSignupOpen = true,
}: {
  action: FormAction;
  redirectTo?: string;
  email?: string;
  emailError?: string;
  providers: readonly Provider[];
  failure?: SignInFailureCode | (string & {});
  /** The link of "another address", shown when trying again cannot help. */
  retryHref?: string;
  isSignupOpen?: boolean;
}) {
  const shown = failure === undefined ? undefined : signInFailure(failure);
  return (
    <NarrowCard title="Sign in">
      {shown ? (
        <Notice kind="bad" announce="alert">
          <b>{shown.title}</b> {shown.text}
        </Notice>
      ) : (
        <p className="-mt-2 text-ink-soft text-sm">
          We e-mail you a link. No password. {isSignupOpen && "Your first sign-in creates the account."}
        </p>
      )}
      {shown && !shown.mayTry ? (
        <TextLink standalone href={retryHref} className="justify-self-start text-sm">
          Sign in with another address
        </TextLink>
      ) : (
        <>
          <form action={action} {...(typeof action === "string" && { method: "post" })} className="grid gap-3">
            {redirectTo !== undefined && <input type="hidden" name="redirectTo" value={redirectTo} />}
            <TextField
              label="E-mail"
              name="email"
              type="email"
              autoComplete="email"
              placeholder="you@example.com"
              required
              maxLength={254}
              defaultValue={email}
              error={emailError}
            />
            <Button type="submit" kind="primary" size="large">
              {shown?.send ?? "Send the link"}
            </Button>
          </form>
          <ProviderLinks providers={providers} />
        </>
      )}
    </NarrowCard>
  );
}
