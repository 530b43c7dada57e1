import { Plus } from "lucide";
import { ButtonLink } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Shown in place of the list before the first schedule. `curl` is a command that creates one. */
export function SchedulesEmpty({ newHref, keysHref, curl }: { newHref: string; keysHref: string; curl: string }) {
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
        <CodeBlock title="curl" what="curl command" code={curl} />
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
      <p>The list is shorter than that.</p>
    </EmptyState>
  );
}

/** Shown in place of a filtered list without a match. `asked` describes the filter. */
export function SchedulesNoMatch({ asked, resetHref }: { asked: string; resetHref: string }) {
  return (
    <EmptyState title="No schedule matches" art="no-match" actions={<ButtonLink href={resetHref}>Reset</ButtonLink>}>
      <p className="wrap-anywhere">Looked for {asked}.</p>
    </EmptyState>
  );
}
