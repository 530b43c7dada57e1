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
      <dl className="grid rounded-lg border border-line bg-surface text-sm leading-5">
        {fields.map(({ name, type, place, isRequired, description, bounds }) => (
          <div
            key={`${place} ${name}`}
            className="grid gap-x-4 gap-y-0.5 border-line border-b px-4 py-2.5 last:border-b-0 sm:grid-cols-[14rem_minmax(0,1fr)]"
          >
            <dt className="wrap-anywhere min-w-0">
              <code className="font-mono">{name}</code>
              <span className="block text-ink-muted text-xs">
                {[type, place && `in the ${place}`, isRequired ? "" : "optional"].filter(Boolean).join(", ")}
              </span>
            </dt>
            <dd className="wrap-anywhere min-w-0 text-ink-soft">
              {description && <MarkdownLine text={description} />}
              {bounds && <span className="block text-ink-muted text-xs">{bounds}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
