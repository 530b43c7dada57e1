import { CodeBlock } from "../ui/code-block.tsx";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { highlightCode } from "../ui/highlight-code.ts";
import { TextLink } from "../ui/text-link.tsx";
import { HeadingLink } from "./heading-link.tsx";
import { InlineCode, MarkdownLine } from "./markdown.tsx";

export type ShownOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string | undefined;
  auth: string;
  parameters: readonly ShownField[];
  body: readonly ShownField[];
  answers: readonly {
    status: string;
    description: string;
    fields: readonly ShownField[];
    sameFieldsAs?: { id: string; summary: string; status: string };
    example: string | undefined;
  }[];
  errors: readonly { status: string; code: string }[];
  samples: { curl: string; sdk: string | null; fetch: string } | null;
};

/** One operation of the API: parameters, body, answers, and the call by curl and by the SDK, or by fetch where it has none. */
export function Operation({ operation, errorsHref }: { operation: ShownOperation; errorsHref: string }) {
  const { id, method, path, summary, description, auth, parameters, body, answers, errors, samples } = operation;
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 gap-4 border-line border-t pt-6">
      <div className="grid gap-1">
        <h2 id={id} className="text-xl">
          {summary.replace(/\.$/, "")}
          <HeadingLink id={id} what={summary} />
        </h2>
        <p className="wrap-anywhere font-mono text-sm">
          <span className="font-medium">{method}</span> <span className="text-ink-soft">{path}</span>
        </p>
        {samples && <p className="text-ink-muted text-sm">Needs: {auth}</p>}
      </div>
      {description && (
        <p className="text-ink-soft">
          <MarkdownLine text={description} />
        </p>
      )}
      {samples && (
        <CodeTabs
          what={`Example of ${method} ${path}`}
          samples={[
            { label: "curl", code: highlightCode("sh", samples.curl) },
            samples.sdk === null
              ? { label: "fetch", code: highlightCode("js", samples.fetch) }
              : { label: "SDK", code: highlightCode("js", samples.sdk) },
          ]}
        />
      )}
      <Fields title={samples ? "Parameters" : "Headers"} fields={parameters} />
      <Fields title="Body" fields={body} />
      {answers.map(({ status, description: what, fields, sameFieldsAs, example }) => (
        <div key={status} className="grid min-w-0 grid-cols-1 gap-2">
          <h3 className="text-base">
            {status}:{" "}
            <span className="font-normal text-ink-soft">
              <MarkdownLine text={what} />
            </span>
          </h3>
          {example && (
            <CodeBlock
              title={`${status} answer`}
              what={`answer ${status} of ${method} ${path}`}
              code={highlightCode("json", example)}
            />
          )}
          {fields.length > 0 && (
            <details>
              <summary className="min-h-6 cursor-pointer text-accent text-sm">Fields of the answer</summary>
              <Fields title={`Fields of ${status}`} fields={fields} />
            </details>
          )}
          {sameFieldsAs && (
            <p className="text-ink-soft text-sm">
              Fields:{" "}
              <TextLink href={`#${sameFieldsAs.id}`}>
                as in {sameFieldsAs.status} of “{sameFieldsAs.summary.replace(/\.$/, "")}”
              </TextLink>
            </p>
          )}
        </div>
      ))}
      {errors.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-ink-soft text-sm">
          <TextLink standalone href={errorsHref}>
            Errors
          </TextLink>
          {errors.map(({ code, status }) => (
            <span key={code}>
              <InlineCode>{code}</InlineCode> {status}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

type ShownField = {
  name: string;
  type: string;
  place?: string;
  isRequired: boolean;
  description?: string;
  bounds?: string;
};

/** Parameters or fields of the reference, each with its type, bounds and description. */
function Fields({ title, fields }: { title: string; fields: readonly ShownField[] }) {
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
