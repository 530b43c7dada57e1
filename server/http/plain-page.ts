import { hash } from "node:crypto";
import { type Html, html } from "#mail/html.ts";

/**
 * A page made without Next.js, for answers that must cost next to nothing. Returns it with its content security policy.
 * `form` stands below the text. `nonce` is that of the policy which the HTTP guard has set on the answer, if it has.
 */
export function plainPage(
  title: string,
  text: string,
  { form, nonce = "" }: { form?: Html; nonce?: string | undefined } = {},
): { html: string; policy: string } {
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Stopwatch</title>
<style nonce="${nonce}">${STYLE}</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
${form ?? ""}
</main>
</html>
`;
  return { html: page.text, policy: policyFor(form === undefined ? "'none'" : "'self'") };
}

const STYLE = `:root { color-scheme: light dark }
body { margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; font-weight: 600 }
button { padding: 0.5rem 1rem; font: inherit }`;

function policyFor(formAction: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join("; ");
}
