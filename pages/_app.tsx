import type { AppProps } from "next/app";
import "../app/fonts.ts";
import "../app/globals.css";

/** Around public pages: the style sheet and fonts of all pages. */
export default function App({ Component, pageProps }: AppProps) {
  return <Component {...pageProps} />;
}
