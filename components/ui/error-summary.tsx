import { formatCount } from "../format/number.ts";
import { Notice } from "./notice.tsx";
import { TextLink } from "./text-link.tsx";

/** The error of one field, with the field's `id`. */
export type FieldProblem = { id: string; message: string };

/**
 * The summary above a rejected form: each error as a link to its field. It takes the focus when the page loads,
 * so that screen readers read it first, unless `takesFocus` is false. Renders nothing without errors.
 */
export function ErrorSummary({
  problems,
  takesFocus = true,
}: {
  problems: readonly FieldProblem[];
  takesFocus?: boolean;
}) {
  if (problems.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noAutofocus: the page was loaded to say this, and it works without scripts
    <div tabIndex={-1} autoFocus={takesFocus} className="rounded-lg">
      <Notice kind="bad" announce="alert">
        <b>
          {problems.length === 1
            ? "One field needs another look."
            : `${formatCount(problems.length)} fields need another look.`}
        </b>
        <ul className="mt-1 grid gap-0.5">
          {problems.map(({ id, message }) => (
            <li key={id}>
              <TextLink href={`#${id}`} className="inline-block leading-6">
                {message}
              </TextLink>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
