import localFont from "next/font/local";

// Latin subset only; it has the punctuation that we use (− · … “ ”). Next.js serves the files and adjusts the metrics of
// the fallback font, so that the layout does not shift when they load.
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
