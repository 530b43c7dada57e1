import type { PageConfig } from "next";
import { Operation } from "#components/docs/operation.tsx";
import { type ReferenceGroup, readReference, referenceHref } from "#server/reference/reference.ts";
import { getServices } from "#server/services.ts";
import { showDocs, showNoSuchPage } from "../../../app/(public)/docs/docs-page.tsx";
import { servePage } from "../../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(({ params }) => {
  const group = findGroup(params.group);
  if (group === undefined) return showNoSuchPage();
  return showDocs({
    title: `${group.title}, API reference`,
    description: group.description,
    canonical: referenceHref(group),
    current: referenceHref(group),
    outline: group.operations.map(({ id, summary }) => ({ id, text: summary.replace(/\.$/, "") })),
    more: [{ href: "/v1/openapi.json", label: "openapi.json" }],
    children: (
      <>
        <h1 className="text-3xl">{group.title}</h1>
        <p className="text-ink-soft">{group.description}</p>
        {group.operations.map((operation) => (
          <Operation key={operation.id} operation={operation} errorsHref="/docs/errors" />
        ))}
      </>
    ),
  });
});

function findGroup(slug: string | undefined): ReferenceGroup | undefined {
  return readReference(getServices().config.baseUrl).find((group) => group.slug === slug);
}
