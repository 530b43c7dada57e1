"use client";

import Failed from "./error.tsx";
import { mono, sans } from "./fonts.ts";
import "./globals.css";

/** The error page for a failure of the root layout. */
export default function FailedAltogether() {
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`}>
      <body>
        <Failed />
      </body>
    </html>
  );
}
