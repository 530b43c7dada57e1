import { NarrowCard } from "../layout/narrow-frame.tsx";
import { Button } from "../ui/button.tsx";
import { TextLink } from "../ui/text-link.tsx";

/**
 * Shown when a link is opened in another browser than the one that requested it. Only the button, which sends `fields` to
 * `action`, signs in.
 */
export function ConfirmSignIn({
  email,
  action,
  method = "get",
  fields,
}: {
  email: string;
  action: string;
  method?: "get" | "post";
  fields: Readonly<Record<string, string>>;
}) {
  return (
    <NarrowCard title="Confirm it is you">
      <p className="-mt-2 text-ink-soft text-sm">
        This link was requested in another browser. Continue only if that was you.
      </p>
      <form action={action} method={method} className="grid gap-3">
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Button type="submit" kind="primary" size="large" className="wrap-anywhere py-1.5">
          Sign in as {email}
        </Button>
      </form>
      <p className="text-ink-muted text-xs">
        It was not? Close this page: nobody is signed in. <TextLink href="/">Cancel</TextLink>
      </p>
    </NarrowCard>
  );
}
