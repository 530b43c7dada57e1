import type { Metadata } from "next";
import { Operation } from "#components/docs/operation.tsx";
import { type ReferenceGroup, readReference, referenceHref } from "#server/contract/reference.ts";
import { getServices } from "#server/services.ts";
import { MISSING_METADATA, showDocs, showNoSuchPage } from "../../docs-page.tsx";

type Props = { params: Promise<{ group: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const group = findGroup((await params).group);
  if (group === undefined) return MISSING_METADATA;
  const { title, description } = group;
  return { title: `${title}, API reference`, description, alternates: { canonical: referenceHref(group) } };
}

export default async function ApiGroup({ params }: Props) {
  const group = findGroup((await params).group);
  if (group === undefined) return showNoSuchPage();
  return showDocs({
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
}

function findGroup(slug: string): ReferenceGroup | undefined {
  return readReference(getServices().config.baseUrl).find((group) => group.slug === slug);
}
