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

/** The list of sessions, with the button that ends all others. `haveEnded`: shows the confirmation that they ended. */
export function Sessions({
  sessions,
  endOthersAction,
  haveEnded = false,
  now,
  zone,
}: {
  sessions: readonly Session[];
  endOthersAction: string;
  haveEnded?: boolean;
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
        {haveEnded && (
          <Notice kind="ok" announce="status">
            All other sessions have ended.
          </Notice>
        )}
        <ul className="grid gap-3 text-sm">
          {sessions.map((session) => (
            <li key={session.id} className="grid gap-0.5">
              <span className="wrap-anywhere">
                <Browser userAgent={session.userAgent} />
                {session.current && <b className="font-medium"> (this one)</b>}
              </span>
              <span className="text-ink-muted text-xs">
                signed in {time(session.createdAt)}, last used {time(session.lastUsedAt)}
              </span>
            </li>
          ))}
        </ul>
      </CardBody>
      <CardFoot>A session ends after seven days in which it is not used.</CardFoot>
    </Card>
  );
}

function Browser({ userAgent }: { userAgent: string | null }) {
  if (userAgent === null) return "A browser that did not say its name";
  return <span title={userAgent}>{browserName(userAgent) ?? userAgent}</span>;
}
