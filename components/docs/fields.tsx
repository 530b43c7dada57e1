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
      <dl className="field-list">
        {fields.map(({ name, type, place, isRequired, description, bounds }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code>
              <small>
                {[type, place && `in the ${place}`, isRequired ? "" : "optional"].filter(Boolean).join(", ")}
              </small>
            </dt>
            <dd>
              {description && <MarkdownLine text={description} hasOwnCode />}
              {bounds && <small>{bounds}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
