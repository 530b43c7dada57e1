import { browserName } from "#domain/browser-name.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Notice } from "../ui/notice.tsx";
import { RelativeTime } from "../ui/time.tsx";

export type Session = {
  id: string;
  userAgent: string | null;
  createdAt: string;
  lastUsedAt: string;
  current: boolean;
};

/** The list of sessions, with buttons that end one or all others. `ended`: shows the confirmation of what ended. */
export function Sessions({
  sessions,
  endOthersAction,
  endAction,
  ended,
  now,
  zone,
}: {
  sessions: readonly Session[];
  endOthersAction: string;
  endAction: string;
  ended?: "others" | "one" | undefined;
  now: Date;
  zone: string;
}) {
  const time = (at: string) => <RelativeTime at={new Date(at)} now={now} zone={zone} />;
  const others = sessions.filter(({ current }) => !current).length;
  return (
    <Card aria-labelledby="sessions">
      <CardHead title="Where you are signed in" id="sessions">
        {others > 0 && (
          <form action={endOthersAction} method="post">
            <Button type="submit" size="small">
              Sign out elsewhere
            </Button>
          </form>
        )}
      </CardHead>
      <CardBody className="grid grid-cols-1 gap-3">
        {ended !== undefined && (
          <Notice kind="ok" announce="status">
            {ended === "others" ? "All other sessions have ended." : "The session has ended."}
          </Notice>
        )}
        <ul className="grid gap-3 text-sm">
          {sessions.map((session) => (
            <li key={session.id} className="flex items-start justify-between gap-3">
              <span className="grid min-w-0 gap-0.5">
                <span className="wrap-anywhere">
                  <Browser userAgent={session.userAgent} />
                  {session.current && <b className="font-medium"> (this one)</b>}
                </span>
                <span className="text-ink-muted text-xs">
                  signed in {time(session.createdAt)}, last used {time(session.lastUsedAt)}
                </span>
              </span>
              <form action={endAction} method="post">
                <input type="hidden" name="id" value={session.id} />
                <Button type="submit" size="small" aria-label={endLabel(session)}>
                  End
                </Button>
              </form>
            </li>
          ))}
        </ul>
      </CardBody>
      <CardFoot>A session ends after seven days without use, and 30 days after its sign-in.</CardFoot>
    </Card>
  );
}

function endLabel({ userAgent, current }: Session): string {
  if (current) return "End this session";
  return `End the session of ${(userAgent !== null && browserName(userAgent)) || "another browser"}`;
}

function Browser({ userAgent }: { userAgent: string | null }) {
  if (userAgent === null) return "Unknown browser";
  return <span title={userAgent}>{browserName(userAgent) ?? userAgent}</span>;
}
