import localFont from "next/font/local";

// Latin alone, which holds the signs that we write (− · … “ ”); Next.js serves the files itself and fits the size of
// the fallback to them, so that nothing moves when they arrive.
export const sans = localFont({
  src: "../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-geist",
});

export const mono = localFont({
  src: "../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-geist-mono",
  adjustFontFallback: false,
});
