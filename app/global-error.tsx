"use client";

import Failed from "./error.tsx";
import { mono, sans } from "./fonts.ts";
import "./globals.css";

/** The same when the frame around all pages failed too. */
export default function FailedAltogether(props: { reset: () => void }) {
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`}>
      <head>
        <title>Not loaded · Stopwatch</title>
      </head>
      <body>
        <Failed {...props} />
      </body>
    </html>
  );
}
