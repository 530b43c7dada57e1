import Head from "next/head";
import type { Theme } from "#domain/theme.ts";

export type PageHead = {
  title: string;
  /** Whether `title` already names the product. */
  isWholeTitle?: boolean;
  description?: string;
  /** The path of the page for search engines. Pages without one are not for them. */
  canonical?: string;
  referrer?: "same-origin" | "no-referrer";
  /** An Atom feed of what the page shows. */
  feed?: { href: string; title: string };
};

export type RenderedPageProps = {
  /** What is shown, as HTML. */
  html: string;
  head: PageHead;
  /** The origin of absolute addresses. */
  baseUrl: string;
  /** For the document around it: */
  theme: Theme;
  /** the classes that define the fonts, */
  fonts: string;
  requestId?: string;
  /** and the nonce of the answer's policy; absent where scripts are allowed by their hashes. */
  nonce?: string;
};

/** A public page that was rendered to HTML before, with its title and what search engines and link previews read. */
export function RenderedPage({ html, head, baseUrl }: RenderedPageProps) {
  const { title, isWholeTitle, description, canonical, referrer, feed } = head;
  const whole = isWholeTitle ? title : `${title} · Stopwatch`;
  const picture = new URL("/opengraph-image.png", baseUrl).href;
  return (
    <>
      <Head>
        <title>{whole}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {description && <meta name="description" content={description} />}
        {canonical && <link rel="canonical" href={new URL(canonical, baseUrl).href} />}
        {!canonical && <meta name="robots" content="noindex" />}
        {feed && (
          <link
            rel="alternate"
            type="application/atom+xml"
            href={new URL(feed.href, baseUrl).href}
            title={feed.title}
          />
        )}
        {referrer && <meta name="referrer" content={referrer} />}
        <meta property="og:title" content={whole} />
        {description && <meta property="og:description" content={description} />}
        <meta property="og:image" content={picture} />
      </Head>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: React has rendered it */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </>
  );
}
