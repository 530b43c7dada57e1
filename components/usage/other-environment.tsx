import type { Environment } from "#domain/environment.ts";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Tag } from "../ui/tag.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** The month's usage in the other environment. `href` is its usage page. */
export function OtherEnvironment({
  env,
  scheduled,
  limit,
  href,
}: {
  env: Environment;
  scheduled: number;
  limit: number;
  href: string;
}) {
  return (
    <Card>
      <CardHead title={env === "test" ? "Test" : "Live"}>
        <Tag kind={env}>{env}</Tag>
      </CardHead>
      <CardBody className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2">
        <span>
          {formatCount(scheduled)} of {formatCount(limit)} this month
          {env === "test" && <span className="text-ink-muted">, free</span>}
        </span>
        <TextLink standalone href={href} className="text-sm">
          Show {env}
        </TextLink>
      </CardBody>
    </Card>
  );
}
