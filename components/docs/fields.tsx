import { MarkdownLine } from "./markdown.tsx";

export type ShownField = {
  name: string;
  type: string;
  place?: string;
  isRequired: boolean;
  description?: string;
  bounds?: string;
};

/** Parameters or fields of the reference, each with its type, bounds and description. */
export function Fields({ title, fields }: { title: string; fields: readonly ShownField[] }) {
  if (fields.length === 0) return null;
  return (
    <div className="grid gap-1">
      <h3 className="text-base">{title}</h3>
      <dl className={LIST}>
        {fields.map(({ name, type, place, isRequired, description, bounds }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code>
              <small>
                {[type, place && `in the ${place}`, isRequired ? "" : "optional"].filter(Boolean).join(", ")}
              </small>
            </dt>
            <dd>
              {description && <MarkdownLine text={description} />}
              {bounds && <small>{bounds}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

// On the list alone: with classes of their own, its parts would be most of a page.
const LIST =
  "grid rounded-lg border border-line bg-surface text-sm leading-5 " +
  "[&>div]:grid [&>div]:gap-x-4 [&>div]:gap-y-0.5 [&>div]:border-line [&>div]:border-b [&>div]:px-4 [&>div]:py-2.5 [&>div:last-child]:border-b-0 " +
  "sm:[&>div]:grid-cols-[14rem_minmax(0,1fr)] [&_:is(dt,dd)]:wrap-anywhere [&_:is(dt,dd)]:min-w-0 [&_dd]:text-ink-soft " +
  "[&_dt_code]:font-mono [&_small]:block [&_small]:text-ink-muted [&_small]:text-xs";
