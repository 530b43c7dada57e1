"use client";

import Failed from "./error.tsx";
import { mono, sans } from "./fonts.ts";
import "./globals.css";

/** The same when the frame around all pages failed too. */
export default function FailedAltogether() {
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`}>
      <body>
        <Failed />
      </body>
    </html>
  );
}
