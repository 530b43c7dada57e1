import type { ReactNode } from "react";

const LOOKS = {
  plain: "border-line text-ink-soft",
  live: "border-accent-line text-accent",
  test: "border-warn-line text-warn",
};

/** A short label, such as an environment or a plan. */
export function Tag({ kind = "plain", children }: { kind?: keyof typeof LOOKS; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center whitespace-nowrap rounded-sm border px-[0.3125rem] text-2xs ${LOOKS[kind]}`}
    >
      {children}
    </span>
  );
}
