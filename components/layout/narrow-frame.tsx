import type { ReactNode } from "react";
import type { Theme } from "#domain/theme.ts";
import { Card } from "../ui/card.tsx";
import { Centred } from "./centred.tsx";
import { Wordmark } from "./mark.tsx";
import { MAIN_ID, SkipLink } from "./skip-link.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

/** The frame of pages with a single centred card, such as signing in. */
export function NarrowFrame({ theme, children }: { theme: Theme; children: ReactNode }) {
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto]">
      <SkipLink />
      <header className={`${WIDTH} flex min-h-15 items-center`}>
        <Wordmark />
      </header>
      <main id={MAIN_ID}>
        <Centred>{children}</Centred>
      </main>
      <footer className={`${WIDTH} flex justify-end py-4`}>
        <ThemeSwitch theme={theme} />
      </footer>
    </div>
  );
}

/** The card of a NarrowFrame. */
export function NarrowCard({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <Card className="grid w-full max-w-92 grid-cols-1 gap-4 p-6">
      <h1 className="text-xl">{title}</h1>
      {children}
    </Card>
  );
}

const WIDTH = "mx-auto w-full max-w-public px-4 md:px-8";
