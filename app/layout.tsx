import type { ReactNode } from "react";

// The nonce of an answer's policy has to be in its scripts: no page can be made ahead.
export const dynamic = "force-dynamic";

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
