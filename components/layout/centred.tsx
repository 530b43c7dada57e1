import type { ReactNode } from "react";

/** A place for a single card, in the middle and a little below the top. */
export function Centred({ children }: { children: ReactNode }) {
  return (
    <div className="grid content-start justify-items-center px-4 pt-[clamp(1.5rem,9vh,6rem)] pb-12">{children}</div>
  );
}
