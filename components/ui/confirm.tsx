import type { ReactNode } from "react";
import { Button, ButtonLink } from "./button.tsx";
import { Card, CardBody, CardHead } from "./card.tsx";

/**
 * The question of a confirm page: `title` names the act and its object, `children` the consequences and any fields.
 * `label` posts the form with `fields` to `action`; `keep` leads back. With `reason` the act is impossible.
 */
export function Confirm({
  title,
  action,
  fields,
  label,
  isDanger = true,
  keep,
  reason,
  children,
}: {
  title: string;
  action: string;
  fields: Readonly<Record<string, string>>;
  label: string;
  isDanger?: boolean;
  keep: { href: string; label: string };
  reason?: string;
  children: ReactNode;
}) {
  return (
    <Card danger={isDanger}>
      <CardHead title={title} />
      <CardBody>
        <form method="post" action={action} className="grid grid-cols-1 gap-4">
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <div className="grid max-w-prose grid-cols-1 gap-3 text-ink-soft">{children}</div>
          <div className="flex flex-wrap items-center gap-2">
            <Button type="submit" kind={isDanger ? "danger-fill" : "primary"} reason={reason}>
              {label}
            </Button>
            <ButtonLink href={keep.href}>{keep.label}</ButtonLink>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}
