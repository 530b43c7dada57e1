import { formatCount } from "../format/number.ts";
import { Confirm } from "../ui/confirm.tsx";
import { TextField } from "../ui/field.tsx";

/** Asks before the account is deleted, and lists what is lost. */
export function DeleteQuestion({
  email,
  losses: { pending, isPendingCapped, keys },
  subscribed,
  env,
  action,
  accountHref,
  typed,
  error,
}: {
  email: string;
  losses: { pending: number; isPendingCapped: boolean; keys: number };
  /** The account has a subscription. */
  subscribed: boolean;
  env: string;
  action: string;
  accountHref: string;
  /** What was typed before a new sign-in. */
  typed?: string | undefined;
  error: string | undefined;
}) {
  const schedules = `${isPendingCapped ? "more than " : ""}${formatCount(pending)} pending ${pending === 1 ? "schedule" : "schedules"}`;
  return (
    <Confirm
      title="Delete this account?"
      action={action}
      fields={{ env }}
      label={pending > 0 ? `Delete account and ${schedules}` : "Delete account"}
      keep={{ href: accountHref, label: "Keep it" }}
    >
      <p>Deleted at once:</p>
      <ul className="grid list-disc gap-1 pl-5">
        <li>
          {pending > 0 ? `${schedules}, live and test: none will be sent` : "all schedules; none of them is pending"}
        </li>
        <li>
          {formatCount(keys)} active API {keys === 1 ? "key" : "keys"}: API requests get 401
        </li>
        <li>both pairs of signing secrets, the log, and all settings</li>
        {subscribed && <li>the subscription, which ends at once</li>}
      </ul>
      <p>It cannot be undone.</p>
      <TextField
        id="email"
        name="email"
        label={`Type ${email} to confirm`}
        error={error}
        defaultValue={typed}
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="max-w-80"
        required
      />
    </Confirm>
  );
}
