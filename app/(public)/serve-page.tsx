import type { GetServerSideProps, GetServerSidePropsContext, Redirect } from "next";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { PublicFrame } from "#components/layout/public-frame.tsx";
import type { PageHead, RenderedPageProps } from "#components/layout/rendered-page.tsx";
import { readZone, ZONE_COOKIE } from "#components/layout/times.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { readTheme, THEME_COOKIE, type Theme } from "#domain/theme.ts";
import { logPageError } from "#server/http/log-page-error.ts";
import { PAGE_REQUEST_ID_HEADER, readNonce } from "#server/http/response-headers.ts";
import { getServices } from "#server/services.ts";
import { FailedCard, readFailure } from "../failed-card.tsx";
import { mono, sans } from "../fonts.ts";

/** What a public page shows. */
export type Shown = PageHead & {
  /** The frame around a single card, in place of the one with navigation. */
  isNarrow?: boolean;
  status?: number;
  /** Seconds. */
  retryAfterS?: string | undefined;
  body: ReactNode;
};

/** The request for a public page. `query` has the parameters that occur exactly once and are not empty. */
export type Visit = {
  theme: Theme;
  /** The browser's zone, an IANA name; undefined until a script has stored it. */
  zone: string | undefined;
  requestId: string | undefined;
  /** That of the answer's policy; undefined where scripts are allowed by their hashes. */
  nonce: string | undefined;
  headers: Headers;
  params: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, string | undefined>>;
};

/**
 * Answers requests for a public page with what `show` returns, rendered to a string. So the browser gets no React: what these
 * pages do by script is in `components/layout/page-behaviour.ts`. A page that fails has the status of its error, which is
 * logged under the id that the page shows.
 */
export function servePage(
  show: (visit: Visit) => Shown | { redirect: Redirect } | Promise<Shown | { redirect: Redirect }>,
): GetServerSideProps<RenderedPageProps> {
  return async (context) => {
    const visit = readVisit(context);
    try {
      const shown = await show(visit);
      return "redirect" in shown ? shown : answerWith(shown, visit, context);
    } catch (error) {
      const { url: path = "/", method = "GET", headers } = context.req;
      logPageError(error, { path, method, headers });
      return answerWith(showFailure(error, visit, path), visit, context);
    }
  };
}

function answerWith(
  { body, isNarrow = false, status = 200, retryAfterS, ...head }: Shown,
  { theme, requestId, nonce }: Visit,
  { res }: GetServerSidePropsContext,
): { props: RenderedPageProps } {
  const html = renderToStaticMarkup(
    <Frame theme={theme} isNarrow={isNarrow}>
      {body}
    </Frame>,
  );
  res.statusCode = status;
  if (retryAfterS !== undefined) res.setHeader("Retry-After", retryAfterS);
  return {
    props: {
      html,
      head,
      theme,
      baseUrl: getServices().config.baseUrl,
      fonts: `${sans.variable} ${mono.variable}`,
      ...(requestId !== undefined && { requestId }),
      ...(nonce !== undefined && { nonce }),
    },
  };
}

function showFailure(error: unknown, { requestId }: Visit, address: string): Shown {
  const { status, retryAfterS, text } = readFailure(error);
  const body = <FailedCard text={text} requestId={requestId} address={address} />;
  return { title: "Not loaded", isNarrow: true, status, retryAfterS, body };
}

function readVisit({ req, query, params = {} }: GetServerSidePropsContext): Visit {
  const single = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "string" && value !== ""));
  return {
    theme: readTheme(req.cookies[THEME_COOKIE]),
    zone: readZone(req.cookies[ZONE_COOKIE]),
    requestId: req.headers[PAGE_REQUEST_ID_HEADER]?.toString(),
    nonce: readNonce(req.headers["content-security-policy"]?.toString()),
    headers: headersOf(req.headers),
    params: single(params),
    query: single(query),
  };
}

function headersOf(headers: GetServerSidePropsContext["req"]["headers"]): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]));
  return new Headers(pairs as [string, string][]);
}

/** A public page: the frame with its navigation, or with `isNarrow` the one around a single card. */
function Frame({ theme, isNarrow, children }: { theme: Theme; isNarrow: boolean; children: ReactNode }) {
  if (isNarrow) return <NarrowFrame theme={theme}>{children}</NarrowFrame>;
  return (
    <PublicFrame
      theme={theme}
      links={LINKS}
      footLinks={FOOT_LINKS}
      action={<ButtonLink href="/login">Sign in</ButtonLink>}
    >
      {children}
    </PublicFrame>
  );
}

const LINKS = [
  { href: "/docs", label: "Docs" },
  { href: "/status", label: "Status" },
];

const FOOT_LINKS = [
  { href: "/docs", label: "Docs" },
  { href: "/docs/api", label: "API reference" },
  { href: "/v1/openapi.json", label: "openapi.json" },
  { href: "/llms.txt", label: "llms.txt" },
];
