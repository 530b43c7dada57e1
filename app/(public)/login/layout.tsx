import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { readTheme, THEME_COOKIE } from "#domain/theme.ts";

export default async function SignInLayout({ children }: { children: ReactNode }) {
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return <NarrowFrame theme={theme}>{children}</NarrowFrame>;
}
