"use client";

import { ChevronRight } from "lucide";
import { type ReactNode, useState } from "react";
import { Card, CardBody } from "./card.tsx";
import { Icon } from "./icon.tsx";

/** A card of a form whose fields few need: closed at first, unless one of them is used, and open while one is wrong. */
export function OptionalCard({
  title,
  isUsed,
  isWrong,
  children,
}: {
  title: string;
  isUsed: boolean;
  isWrong: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <Card>
      <details
        className="group/optional"
        open={isOpen || isWrong}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className="flex cursor-pointer select-none list-none flex-wrap items-center gap-x-1.5 gap-y-0.5 rounded-lg px-4 py-3 [&::-webkit-details-marker]:hidden">
          <Icon of={ChevronRight} small className="transition-transform group-open/optional:rotate-90" />
          <h2 className="text-base">{title}</h2>
          <span className="ml-auto text-ink-muted text-xs">Optional</span>
        </summary>
        <CardBody className="grid grid-cols-1 gap-4 border-line border-t sm:grid-cols-2">{children}</CardBody>
      </details>
    </Card>
  );
}
