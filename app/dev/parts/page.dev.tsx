import { cookies } from "next/headers";
import { PublicFrame } from "#components/layout/public-frame.tsx";
import { readTheme, THEME_COOKIE } from "#components/layout/theme.ts";
import { ControlParts } from "./control-parts.tsx";
import { DataParts } from "./data-parts.tsx";
import { OverlayParts } from "./overlay-parts.tsx";
import { SignInParts } from "./sign-in-parts.tsx";

export const metadata = { title: "Parts · Stopwatch", robots: { index: false } };

/** Every part of the interface in every state. Not in production builds. */
export default async function Parts() {
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <PublicFrame theme={theme}>
      <h1 className="py-6 text-2xl">Parts</h1>
      <div className="grid grid-cols-1 gap-10">
        <ControlParts />
        <OverlayParts />
        <DataParts />
        <SignInParts />
      </div>
    </PublicFrame>
  );
}
