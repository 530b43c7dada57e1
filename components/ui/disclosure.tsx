import { ChevronRight } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/** Content that is collapsed at first, by native `<details>`. */
export function Disclosure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details className="group/disclosure min-w-0">
      <summary className="inline-flex min-h-6 cursor-pointer select-none list-none items-center gap-1 rounded-sm text-ink-soft text-xs hover:text-ink [&::-webkit-details-marker]:hidden">
        <Icon of={ChevronRight} small className="transition-transform group-open/disclosure:rotate-90" />
        {label}
      </summary>
      <div className="mt-2 max-h-96 overflow-y-auto rounded-md border border-line">{children}</div>
    </details>
  );
}
