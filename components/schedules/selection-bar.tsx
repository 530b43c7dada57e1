import { CircleSlash, Repeat2, X } from "lucide";
import { formatCount } from "../format/number.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { HiddenFields } from "../ui/hidden-fields.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { ClearSelection, SelectAll, SelectedNumber, SelectionCount } from "./selection-count.tsx";

/** The actions on all schedules of a list: those of the page, or all that match the filter. */
export type WholeList = {
  total: number;
  isCapped: boolean;
  /** How many of them are on this page. */
  rows: number;
  /** The URL of this list with every row of the page ticked. */
  selectPageHref: string;
  replayHref: string;
  /** The filter of this list, as the query of an address, such as `?status=dead`. */
  filter: string;
  /** How many of all can be cancelled. */
  cancellable: Counted;
  cancelHref: string;
};

/** A number of schedules, or more than that. */
type Counted = { count: number; isCapped: boolean };

/**
 * The actions on the selected rows of the surrounding form: shown while rows are selected, and always without scripts.
 * Each button leads to a confirm page.
 */
export function SelectionBar({
  ticked,
  whole,
}: {
  /** How many rows are selected at first, and how many of them can be cancelled. */
  ticked: { all: number; cancellable: number };
  whole: WholeList;
}) {
  const { total, isCapped } = whole;
  const number = inWords({ count: total, isCapped });
  const all = isCapped ? `More than ${formatCount(total)}` : `All ${number}`;
  const canCancel = whole.cancellable.count > 0;
  return (
    <>
      <HiddenFields values={{ filter: whole.filter }} />
      <section
        aria-label="Selection"
        className="sticky bottom-0 z-10 hidden flex-wrap items-center gap-x-3 gap-y-2 border-accent-line border-t bg-accent-soft px-4 py-2 text-sm group-has-[[name=id]:checked]/rows:flex noscript:flex"
      >
        <SelectionCount ticked={ticked.all} all={all} />
        {total > whole.rows && <SelectAll>{`${all} that match`}</SelectAll>}
        <span className="hidden noscript:inline">The ticked ones:</span>
        <Button type="submit" name="action" value="replay" size="small">
          <Icon of={Repeat2} small />
          <span>
            Replay <SelectedNumber ticked={ticked.all} all={number} />
          </span>
        </Button>
        <Button
          type="submit"
          name="action"
          value="cancel"
          size="small"
          kind="danger"
          className={`hidden group-has-[[data-cancellable]:checked]/rows:inline-flex noscript:inline-flex ${canCancel ? "group-has-[[name=all]:checked]/rows:inline-flex" : ""}`}
        >
          <Icon of={CircleSlash} small />
          <span>
            Cancel <SelectedNumber ticked={ticked.cancellable} isCancel all={inWords(whole.cancellable)} />
          </span>
        </Button>
        <ClearSelection className="inline-flex size-6.5 cursor-pointer items-center justify-center rounded-sm text-ink-soft hover:bg-hover noscript:hidden">
          <Icon of={X} small />
        </ClearSelection>
      </section>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-t px-4 py-2 text-ink-muted text-xs">
        <TextLink standalone href={whole.selectPageHref}>
          Select this page
        </TextLink>
        <span className="ml-auto">{matchInWords(whole)}</span>
        <ButtonLink size="small" href={whole.replayHref}>
          <Icon of={Repeat2} small />
          Replay all
        </ButtonLink>
        {canCancel && (
          <ButtonLink size="small" kind="danger" href={whole.cancelHref}>
            <Icon of={CircleSlash} small />
            {cancelInWords(whole)}
          </ButtonLink>
        )}
      </div>
    </>
  );
}

/** All that match when all can be cancelled; else how many. */
function cancelInWords({ total, cancellable }: WholeList): string {
  return cancellable.count === total ? "Cancel all" : `Cancel ${inWords(cancellable)} of them`;
}

const inWords = ({ count, isCapped }: Counted) => `${isCapped ? "more than " : ""}${formatCount(count)}`;

function matchInWords({ total, isCapped }: WholeList): string {
  if (isCapped) return `More than ${formatCount(total)} schedules match:`;
  return total === 1 ? "1 schedule matches:" : `All ${formatCount(total)} schedules that match:`;
}
