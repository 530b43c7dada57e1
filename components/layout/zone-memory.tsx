"use client";

import { useEffect } from "react";
import { ZONE_COOKIE } from "./times.ts";

const YEAR_S = 31_536_000;

/** Stores the browser's zone in a cookie, so that the server can render local times on the next page. Renders nothing. */
export function ZoneMemory({ known }: { known: string | undefined }) {
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone === known) return;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    // biome-ignore lint/suspicious/noDocumentCookie: cookieStore is missing on plain http, where many installations run
    document.cookie = `${ZONE_COOKIE}=${zone}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
  }, [known]);
  return null;
}
