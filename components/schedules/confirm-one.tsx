import type { ReactNode } from "react";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

/**
 * Asks before something is done: `title` names it, `children` say what follows. Pressing `label` sends `fields` to `action`
 * by POST; `keep` leads back. With `reason` it cannot be done, and that is why.
 */
export function ConfirmOne({
  title,
  action,
  fields,
  label,
  isDanger = false,
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
          <div className="grid max-w-prose gap-2 text-ink-soft">{children}</div>
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
