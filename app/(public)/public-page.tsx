import type { ReactNode } from "react";
import { PublicFrame } from "#components/layout/public-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { chosenTheme } from "../page-request.ts";

/** A public page: the frame with its navigation. */
export async function publicPage(body: ReactNode) {
  return (
    <PublicFrame
      theme={await chosenTheme()}
      links={LINKS}
      footLinks={FOOT_LINKS}
      action={<ButtonLink href="/login">Sign in</ButtonLink>}
    >
      {body}
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
