import { Plus } from "lucide";
import type { Environment } from "#domain/environment.ts";
import { ButtonLink } from "../ui/button.tsx";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { firstCallSamples, type Installation } from "./first-call.ts";

/** Shown in place of the list before the first schedule, with calls that create one. */
export function SchedulesEmpty({
  newHref,
  keysHref,
  installation,
  env,
}: {
  newHref: string;
  keysHref: string;
  installation: Installation;
  env: Environment;
}) {
  return (
    <>
      <EmptyState
        title="Nothing scheduled yet"
        art="first"
        actions={
          <ButtonLink kind="primary" href={newHref}>
            <Icon of={Plus} />
            New schedule
          </ButtonLink>
        }
      >
        <p>Hand over a request and an instant.</p>
      </EmptyState>
      <div className="grid grid-cols-1 gap-2 px-4 pb-4">
        <p className="text-center text-ink-soft text-sm">
          Or by the API, with <TextLink href={keysHref}>an API key</TextLink>:
        </p>
        <CodeTabs what="First API request" samples={firstCallSamples(installation, env)} />
      </div>
    </>
  );
}

/** Shown in place of a page beyond the last row. */
export function SchedulesPageEmpty({ firstHref }: { firstHref: string }) {
  return (
    <EmptyState
      title="Nothing on this page"
      art="no-match"
      actions={<ButtonLink href={firstHref}>First page</ButtonLink>}
    >
      <p>This page is past the end of the list.</p>
    </EmptyState>
  );
}

/** Shown in place of a filtered list without a match. `filter` describes the filter in words. */
export function SchedulesNoMatch({ filter, resetHref }: { filter: string; resetHref: string }) {
  return (
    <EmptyState title="No schedule matches" art="no-match" actions={<ButtonLink href={resetHref}>Reset</ButtonLink>}>
      <p className="wrap-anywhere">Looked for {filter}.</p>
    </EmptyState>
  );
}
