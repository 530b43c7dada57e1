"use client";

import type { ReactNode } from "react";
import { readTheme, THEME_COOKIE } from "#domain/theme.ts";

const YEAR_S = 31_536_000;

/** Wraps the theme buttons and stores the choice in a cookie, which the server reads for the next page. */
export function ThemeMemory({ className, children }: { className: string; children: ReactNode }) {
  return (
    <fieldset
      className={className}
      onChange={(event) => {
        const theme = readTheme((event.target as HTMLElement & { value?: string }).value);
        const secure = location.protocol === "https:" ? "; Secure" : "";
        // biome-ignore lint/suspicious/noDocumentCookie: cookieStore is missing on plain http, where many installations run
        document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
        document.documentElement.dataset.theme = theme;
      }}
    >
      {children}
    </fieldset>
  );
}
