import { Fragment } from "react";
import { Card } from "../ui/card.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Every endpoint of a group on one line, with a link to its description. */
export function EndpointTable({
  endpoints,
}: {
  endpoints: readonly { id: string; method: string; path: string; summary: string; href: string }[];
}) {
  return (
    <Card className="px-4 py-2.5 text-sm">
      <dl className="grid items-baseline gap-x-4 sm:grid-cols-[minmax(0,22rem)_minmax(0,1fr)] sm:gap-y-1">
        {endpoints.map(({ id, method, path, summary, href }) => (
          <Fragment key={id}>
            <dt className="wrap-anywhere min-w-0 font-mono">
              <TextLink standalone href={href} className="gap-2">
                <span className="w-14 font-medium">{method}</span> {path}
              </TextLink>
            </dt>
            <dd className="text-ink-soft max-sm:mb-2">{summary}</dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  );
}
