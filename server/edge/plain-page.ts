import { hash } from "node:crypto";

/**
 * A page made without Next.js, for answers that must cost next to nothing. Returns it with its content security policy. The
 * texts are ours and contain no HTML.
 */
export function plainPage(title: string, text: string): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Stopwatch</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`;
  return { html, policy: POLICY };
}

const STYLE = `:root { color-scheme: light dark }
body { margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; font-weight: 600 }`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
