import type { ReactNode } from "react";
import { NoAdministrators } from "#components/admin/no-administrators.tsx";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { hasAdministrators } from "#server/admin/has-administrators.ts";
import { answerNotFound } from "../answer-not-found.ts";
import type { IntoFrame } from "../failed-page.tsx";

/**
 * The page in place of the one at `path` (`/schedules/[id]`) when its subject does not exist, with `ways` out of it. Sets the
 * status 404.
 */
export async function missingPage(path: string, intoFrame: IntoFrame, ways?: ReactNode) {
  answerNotFound();
  const { title, text, actions } = [...MISSING].find(([prefix]) => path.startsWith(prefix))?.[1] ?? PAGE;
  return intoFrame(
    <>
      <title>{`${title} · Stopwatch`}</title>
      <MissingCard title={title} actions={ways ?? actions}>
        <p>{text}</p>
        {path.startsWith("/admin") && !hasAdministrators() && (
          <p>
            <NoAdministrators />
          </p>
        )}
      </MissingCard>
    </>,
  );
}

type Missing = { title: string; text: string; actions: ReactNode };

const PAGE: Missing = {
  title: "Nothing is here",
  text: "There is no page at this address. It may be mistyped, or what it showed was deleted.",
  actions: <ButtonLink href="/overview">Overview</ButtonLink>,
};

/** By prefix of the page's path. The first match counts. */
const MISSING = new Map<string, Missing>(
  Object.entries({
    "/schedules/operations": {
      title: "There is no such operation",
      text: "It may belong to the other environment, or have ended more than 90 days ago.",
      actions: <ButtonLink href="/schedules/operations">All operations</ButtonLink>,
    },
    "/schedules": {
      title: "No such schedule here",
      text: "This account has no schedule with this id in this environment. It may be in the other one, or its plan no longer keeps it.",
      actions: (
        <>
          <ButtonLink kind="primary" href="/schedules">
            Live schedules
          </ButtonLink>
          <ButtonLink href="/schedules?env=test">Test schedules</ButtonLink>
        </>
      ),
    },
    "/recurrences": {
      title: "No such recurrence",
      text: "This account has no recurrence with this key in this environment. It may be in the other one, or was deleted.",
      actions: <ButtonLink href="/recurrences">Recurrences</ButtonLink>,
    },
    "/keys": {
      title: "No such API key",
      text: "This account has no API key with this id.",
      actions: <ButtonLink href="/keys">API keys</ButtonLink>,
    },
    "/account/identities": {
      title: "No such identity",
      text: "No identity with this id is linked to this account. It may have been removed.",
      actions: <ButtonLink href="/account">Account and billing</ButtonLink>,
    },
  }),
);
