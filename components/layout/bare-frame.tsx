import type { ReactNode } from "react";
import { Centred } from "./centred.tsx";
import { Wordmark } from "./mark.tsx";
import { MAIN_ID, SkipLink } from "./skip-link.tsx";

/** The frame of a card that is shown where nothing is known of the visitor, and no navigation can be: it has the wordmark alone. */
export function BareFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="flex min-h-15 items-center px-4 md:px-8">
        <Wordmark />
      </header>
      <main id={MAIN_ID}>
        <Centred>{children}</Centred>
      </main>
    </>
  );
}
