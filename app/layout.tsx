import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { PageScript } from "#components/layout/page-script.tsx";
import { getServices } from "#server/services.ts";
import { mono, sans } from "./fonts.ts";
import { chosenTheme, pageNonce, pageRequestId } from "./page-request.ts";
import "./globals.css";

// Scripts need the nonce of their response's policy, so no page can be prerendered.
export const dynamic = "force-dynamic";

export function generateMetadata(): Metadata {
  return {
    metadataBase: new URL(getServices().config.baseUrl),
    title: { default: "Stopwatch", template: "%s · Stopwatch" },
    applicationName: "Stopwatch",
    openGraph: { siteName: "Stopwatch", type: "website" },
    twitter: { card: "summary_large_image" },
  };
}

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f8f8f5" },
    { media: "(prefers-color-scheme: dark)", color: "#0d0e0f" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html
      lang="en"
      data-theme={await chosenTheme()}
      data-request-id={await pageRequestId()}
      className={`${sans.variable} ${mono.variable}`}
      // The theme switch may change the theme before React hydrates the page.
      suppressHydrationWarning
    >
      <body>
        {children}
        <PageScript nonce={await pageNonce()} />
      </body>
    </html>
  );
}
