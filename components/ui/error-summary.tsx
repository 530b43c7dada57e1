import { formatCount } from "../format/number.ts";
import { Notice } from "./notice.tsx";
import { TextLink } from "./text-link.tsx";

/** What is wrong with one field, and the `id` of the field. */
export type FieldProblem = { id: string; message: string };

/** What stands above a form that was not taken: each problem as a link to its field. Nothing when there is none. */
export function ErrorSummary({ problems }: { problems: readonly FieldProblem[] }) {
  if (problems.length === 0) return null;
  return (
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
  );
}
