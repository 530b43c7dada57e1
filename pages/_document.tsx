import Document, { Head, Html, Main, NextScript } from "next/document";
import { PageScript } from "#components/layout/page-script.tsx";
import type { RenderedPageProps } from "#components/layout/rendered-page.tsx";

/** The document of public pages. `NextScript` is empty but in development (`unstable_runtimeJS` of each page). */
export default class PublicDocument extends Document {
  override render() {
    const { theme, fonts, requestId, nonce } = this.props.__NEXT_DATA__.props.pageProps as RenderedPageProps;
    return (
      <Html lang="en" data-theme={theme} data-request-id={requestId} className={fonts}>
        <Head nonce={nonce}>
          <meta name="theme-color" content="#f8f8f5" media="(prefers-color-scheme: light)" />
          <meta name="theme-color" content="#0d0e0f" media="(prefers-color-scheme: dark)" />
          <meta name="application-name" content="Stopwatch" />
          <meta property="og:site_name" content="Stopwatch" />
          <meta property="og:type" content="website" />
          <meta property="og:image:type" content="image/png" />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta property="og:image:alt" content="An HTTP request and an instant. It is sent then." />
          <meta name="twitter:card" content="summary_large_image" />
          <link rel="icon" href="/icon.svg" sizes="any" type="image/svg+xml" />
          <link rel="apple-touch-icon" href="/apple-icon.png" sizes="180x180" type="image/png" />
        </Head>
        <body>
          <Main />
          <PageScript nonce={nonce} />
          <NextScript nonce={nonce} />
        </body>
      </Html>
    );
  }
}
