import { formatCount } from "../format/number.ts";
import { Confirm } from "../ui/confirm.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { TextField } from "../ui/field.tsx";

type Figures = { schedules: { active: number } };

/** Asks before an account is deactivated or reactivated, and for the reason. */
export function StatusQuestion({
  act,
  account: { id, email, status, keys, sessions, live, test },
  action,
  env,
  accountHref,
  error,
}: {
  act: "deactivate" | "reactivate";
  account: {
    id: string;
    email: string;
    status: string;
    keys: number;
    sessions: number;
    live: Figures;
    test: Figures;
  };
  action: string;
  env: string;
  accountHref: string;
  error: string | undefined;
}) {
  const ends = act === "deactivate";
  const reasonError = error === "reason" ? "Give a reason of 1 to 200 characters." : undefined;
  const pending = formatCount(live.schedules.active + test.schedules.active);
  return (
    <>
      <ErrorSummary problems={reasonError ? [{ id: "reason", message: reasonError }] : []} />
      <Confirm
        title={`${ends ? "Deactivate" : "Reactivate"} ${email}?`}
        action={action}
        fields={{ id, env }}
        label={ends ? "Deactivate" : "Reactivate"}
        isDanger={ends}
        keep={{ href: accountHref, label: ends ? "Leave it active" : "Leave it deactivated" }}
        reason={status === (ends ? "active" : "deactivated") ? undefined : `It is ${status} already.`}
      >
        {ends ? (
          <p>
            Sessions that end: {formatCount(sessions)}. API keys that are refused: {formatCount(keys)}. Schedules that
            wait: {pending}. Reactivating undoes it, but not the sessions.
          </p>
        ) : (
          <p>
            API keys that are accepted again: {formatCount(keys)}. Schedules that go on: {pending}; what is overdue is
            sent at once, oldest first.
          </p>
        )}
        <TextField
          id="reason"
          name="reason"
          label="Reason"
          hint="Kept in the audit log. The owner does not see it."
          error={reasonError}
          maxLength={200}
          autoComplete="off"
          required
        />
      </Confirm>
    </>
  );
}
