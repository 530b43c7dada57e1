import type { ReactNode } from "react";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { PublicFrame } from "#components/layout/public-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import type { Theme } from "#domain/theme.ts";

/** A public page: the frame with its navigation, or with `isNarrow` the one around a single card. */
export function Frame({ theme, isNarrow, children }: { theme: Theme; isNarrow: boolean; children: ReactNode }) {
  if (isNarrow) return <NarrowFrame theme={theme}>{children}</NarrowFrame>;
  return (
    <PublicFrame
      theme={theme}
      links={LINKS}
      footLinks={FOOT_LINKS}
      action={<ButtonLink href="/login">Sign in</ButtonLink>}
    >
      {children}
    </PublicFrame>
  );
}

const LINKS = [
  { href: "/docs", label: "Docs" },
  { href: "/status", label: "Status" },
];

const FOOT_LINKS = [
  { href: "/docs", label: "Docs" },
  { href: "/docs/api", label: "API reference" },
  { href: "/v1/openapi.json", label: "openapi.json" },
  { href: "/llms.txt", label: "llms.txt" },
];
