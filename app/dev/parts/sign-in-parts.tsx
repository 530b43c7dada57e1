import { CheckInbox } from "#components/sign-in/check-inbox.tsx";
import { ConfirmAgain } from "#components/sign-in/confirm-again.tsx";
import { ConfirmSignIn } from "#components/sign-in/confirm-sign-in.tsx";
import { SIGN_IN_FAILURE_CODES } from "#components/sign-in/failures.ts";
import { SignInCard } from "#components/sign-in/sign-in-card.tsx";
import { Section } from "./section.tsx";

const EMAIL = "ana@example.com";
const PROVIDERS = [
  { id: "google", href: "#google" },
  { id: "github", href: "#github" },
] as const;

/** The sign-in cards in every state. */
export function SignInParts() {
  return (
    <>
      <Section title="Sign in" columns>
        <SignInCard action="#sign-in" providers={PROVIDERS} />
        <SignInCard action="#sign-in" providers={[]} isSignupOpen={false} redirectTo="/schedules" />
        <SignInCard
          action="#sign-in"
          providers={PROVIDERS.slice(0, 1)}
          email="ana@example"
          emailError="An e-mail address has a dot after the @."
        />
        <CheckInbox email={EMAIL} action="#sign-in" isMailSetUp />
        <CheckInbox email={EMAIL} action="#sign-in" isMailSetUp={false} redirectTo="/logs" />
        <ConfirmSignIn email={EMAIL} action="#confirm" fields={{ token: "t", email: EMAIL, confirm: "1" }} />
        <ConfirmSignIn email={`${"a".repeat(60)}@example.com`} action="#confirm" method="post" fields={{}} />
      </Section>
      <Section title="Confirm again, before what needs a recent sign-in" columns>
        <ConfirmAgain
          email={EMAIL}
          action="#send"
          redirectTo="/keys/new"
          providers={PROVIDERS}
          keep={{ href: "#keys", label: "Cancel" }}
        >
          A live key needs a newer sign-in.
        </ConfirmAgain>
        <ConfirmAgain
          email={`${"a".repeat(60)}@example.com`}
          action="#send"
          redirectTo="/account/delete"
          providers={[]}
          keep={{ href: "#account", label: "Keep it" }}
        >
          Deleting the account needs a newer sign-in.
        </ConfirmAgain>
      </Section>
      <Section title="Sign in: why it did not work" columns>
        {SIGN_IN_FAILURE_CODES.map((code) => (
          <SignInCard key={code} action="#sign-in" providers={PROVIDERS.slice(0, 1)} failure={code} email={EMAIL} />
        ))}
      </Section>
    </>
  );
}
