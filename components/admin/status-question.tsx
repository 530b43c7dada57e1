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
  const isEnd = act === "deactivate";
  const isDoneAlready = status === (isEnd ? "deactivated" : "active");
  const reasonError = error === "reason" ? "Give a reason of 1 to 200 characters." : undefined;
  const waiting = formatCount(live.schedules.active + test.schedules.active);
  return (
    <>
      <ErrorSummary problems={reasonError ? [{ id: "reason", message: reasonError }] : []} />
      <Confirm
        title={`${isEnd ? "Deactivate" : "Reactivate"} ${email}?`}
        action={action}
        fields={{ id, env }}
        label={isEnd ? "Deactivate" : "Reactivate"}
        isDanger={isEnd}
        keep={{ href: accountHref, label: isEnd ? "Leave it active" : "Leave it deactivated" }}
        reason={isDoneAlready ? `It is ${status} already.` : undefined}
      >
        {isEnd ? (
          <p>
            Sessions that end: {formatCount(sessions)}. API keys that are refused: {formatCount(keys)}. Schedules that
            wait: {waiting}. Reactivating undoes it, but not the sessions.
          </p>
        ) : (
          <p>
            API keys that are accepted again: {formatCount(keys)}. Schedules that go on: {waiting}; what is overdue is
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
