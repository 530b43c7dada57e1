import type { PageConfig } from "next";
import { EndpointTable } from "#components/docs/endpoint-table.tsx";
import { InlineCode } from "#components/docs/markdown.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { highlightCode } from "#components/ui/highlight-code.ts";
import { Tabs } from "#components/ui/tabs.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { FOR_KEY_HREF } from "#server/docs/pages.ts";
import { countOperations, ofApiKeys, readReference, referenceHref } from "#server/reference/reference.ts";
import { getServices } from "#server/services.ts";
import { showDocs } from "../../../app/(public)/docs/docs-page.tsx";
import { servePage } from "../../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(({ query }) => {
  const isForKey = query.for === "key";
  const { baseUrl } = getServices().config;
  const all = readReference(baseUrl);
  const ofKeys = ofApiKeys(all);
  const groups = isForKey ? ofKeys : all;
  return showDocs({
    title: "API reference",
    description: "Every endpoint, with its fields, answers and errors.",
    canonical: "/docs/api",
    current: "/docs/api",
    outline: groups.map(({ slug, title }) => ({ id: slug, text: title })),
    more: [{ href: "/v1/openapi.json", label: "openapi.json" }],
    children: (
      <>
        <h1 className="text-3xl">API reference</h1>
        <p>
          Made from the <TextLink href="/v1/openapi.json">OpenAPI document</TextLink> that this installation serves and
          validates API requests by. Bodies and answers are JSON. A machine sends an API key:
        </p>
        <CodeBlock title="Terminal" what="authorized call" code={highlightCode("sh", authorized(baseUrl))} />
        <p>
          A person has a session in the cookie <InlineCode>sw_session</InlineCode>. What an endpoint needs stands beside
          it. Every answer has an <InlineCode>X-Request-Id</InlineCode>; what is not a success has the form of{" "}
          <TextLink href="/docs/errors">errors</TextLink>. In JavaScript, the <TextLink href="/docs/sdk">SDK</TextLink>{" "}
          makes each API request that takes an API key.
        </p>
        <Tabs
          label="Endpoints"
          tabs={[
            { href: "/docs/api", label: "All endpoints", count: countOperations(all), isCurrent: !isForKey },
            { href: FOR_KEY_HREF, label: "With an API key", count: countOperations(ofKeys), isCurrent: isForKey },
          ]}
        />
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
});

const authorized = (baseUrl: string) =>
  `curl ${baseUrl}/v1/schedules \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY"`;
