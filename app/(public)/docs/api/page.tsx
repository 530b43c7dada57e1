import { EndpointTable } from "#components/docs/endpoint-table.tsx";
import { InlineCode } from "#components/docs/markdown.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { readReference, referenceHref } from "#server/contract/reference.ts";
import { getServices } from "#server/services.ts";
import { showDocs } from "../docs-page.tsx";

export const metadata = {
  title: "API reference",
  description: "Every endpoint, with its fields, answers and errors.",
  alternates: { canonical: "/docs/api" },
};

export default function ApiReference() {
  const { baseUrl } = getServices().config;
  const groups = readReference(baseUrl);
  return showDocs({
    current: "/docs/api",
    outline: groups.map(({ slug, title }) => ({ id: slug, text: title })),
    more: [{ href: "/v1/openapi.json", label: "openapi.json" }],
    children: (
      <>
        <h1 className="text-3xl">API reference</h1>
        <p>
          Made from the <TextLink href="/v1/openapi.json">OpenAPI document</TextLink> that this installation serves and
          validates calls by. Bodies and answers are JSON. A machine sends an API key:
        </p>
        <CodeBlock title="Terminal" what="authorized call" code={authorized(baseUrl)} />
        <p>
          A person has a session in the cookie <InlineCode>sw_session</InlineCode>. What an endpoint needs stands beside
          it. Every answer has an <InlineCode>X-Request-Id</InlineCode>; what is not a success has the form of{" "}
          <TextLink href="/docs/errors">errors</TextLink>.
        </p>
        {groups.map((group) => (
          <section key={group.slug} aria-labelledby={group.slug} className="grid min-w-0 gap-2">
            <h2 id={group.slug} className="mt-3 text-xl">
              <TextLink standalone href={referenceHref(group)}>
                {group.title}
              </TextLink>
            </h2>
            <p className="text-ink-soft">{group.description}</p>
            <EndpointTable
              endpoints={group.operations.map((operation) => ({
                ...operation,
                href: `${referenceHref(group)}#${operation.id}`,
              }))}
            />
          </section>
        ))}
      </>
    ),
  });
}

const authorized = (baseUrl: string) =>
  `curl ${baseUrl}/v1/schedules \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY"`;
