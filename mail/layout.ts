import { Html, html } from "./html.ts";

/** A part of a mail in HTML and plain text; `text` is null when another part covers it. */
export type Part = { html: Html; text: string | null };

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const INK = "#141517";
const MUTED = "#626368";
const LINE = "#e3e2db";

/** Dark colour scheme. The inline colours are the light ones, for mail programs without media queries. */
const DARK = new Html(`
@media (prefers-color-scheme: dark) {
  .canvas { background: #0d0e0f !important; }
  .ink { color: #f2f1ec !important; }
  .muted { color: #96968f !important; }
  .line { border-color: #282a2c !important; }
  .button { background: #f2f1ec !important; color: #0d0e0f !important; }
}`);

/**
 * Lays out a mail in HTML and plain text with the same content: one column, system fonts, inline colours, no images.
 * `preview` is the text that a mailbox shows beside the subject.
 */
export function layOut({ subject, preview, parts }: { subject: string; preview: string; parts: Part[] }): {
  subject: string;
  html: string;
  text: string;
} {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${DARK}
</style>
</head>
<body class="canvas" style="margin:0;padding:0;background:#ffffff">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<div class="canvas" style="background:#ffffff;padding:32px 20px">
<div class="ink" style="max-width:576px;margin:0 auto;font-family:${FONT};font-size:16px;line-height:25px;color:${INK};overflow-wrap:anywhere">
<p style="margin:0 0 24px;font-size:17px;font-weight:600;letter-spacing:-0.02em">stopwatch</p>
${parts.map((part) => part.html)}</div>
</div>
</body>
</html>
`;
  return { subject, html: page.text, text: `${parts.flatMap(({ text }) => text ?? []).join("\n\n")}\n` };
}

/** A paragraph. */
export function paragraph(text: string): Part {
  return { html: html`<p style="margin:0 0 20px">${text}</p>\n`, text };
}

/** Small print, optionally followed by a link. */
export function smallPrint(text: string, link?: { label: string; url: string }): Part {
  const style = `margin:0 0 12px;font-size:13px;line-height:20px;color:${MUTED}`;
  if (!link) return { html: html`<p class="muted" style="${style}">${text}</p>\n`, text };
  const anchor = html`<a class="muted" href="${link.url}" style="color:${MUTED};text-decoration:underline">${link.label}</a>`;
  return {
    html: html`<p class="muted" style="${style}">${text} ${anchor}</p>\n`,
    text: `${text}\n\n${link.label}: ${link.url}`,
  };
}

/** The button of the mail's main action. */
export function button(label: string, url: string): Part {
  const style = `display:inline-block;padding:10px 18px;border-radius:5px;background:${INK};color:#ffffff;font-weight:500;text-decoration:none`;
  return {
    html: html`<p style="margin:0 0 20px"><a class="button" href="${url}" style="${style}">${label}</a></p>\n`,
    text: `${label}: ${url}`,
  };
}

/** A table; the last column is numeric and right-aligned. `line` formats a row in plain text. */
export function table(head: string[], rows: string[][], line: (row: string[]) => string): Part {
  const shape = (index: number) =>
    index === head.length - 1
      ? "padding:8px 0 8px 8px;text-align:right;white-space:nowrap"
      : "padding:8px 8px 8px 0;text-align:left";
  const rule = `border-bottom:1px solid ${LINE}`;
  const cell = (text: string, index: number) =>
    html`<td class="line" style="${shape(index)};${rule};vertical-align:top">${text}</td>`;
  const titles = head.map(
    (title, index) =>
      html`<th class="line muted" scope="col" style="${shape(index)};${rule};font-weight:400;color:${MUTED}">${title}</th>`,
  );
  return {
    html: html`<table class="ink" style="width:100%;margin:0 0 24px;border-collapse:collapse;font-size:14px;line-height:20px;color:${INK}"><thead><tr>${titles}</tr></thead><tbody>${rows.map(
      (row) => html`<tr>${row.map(cell)}</tr>`,
    )}</tbody></table>\n`,
    text: rows.map((row) => `- ${line(row)}`).join("\n"),
  };
}
