import { randomUUID } from "node:crypto";
import type { Mail } from "./mail.ts";

/**
 * A mail as the content of an .eml file (RFC 5322): text and HTML as alternatives, in unencoded UTF-8 so that people can
 * read it. Line breaks in header fields become spaces.
 */
export function emlOf({
  from,
  to,
  subject,
  text,
  html,
  headers = {},
  date,
}: Mail & { from: string; date: Date }): string {
  const boundary = `=_${randomUUID()}`;
  const fields = {
    From: from,
    To: to,
    Subject: subject,
    Date: date.toUTCString().replace("GMT", "+0000"),
    ...headers,
    "MIME-Version": "1.0",
    "Content-Type": `multipart/alternative; boundary="${boundary}"`,
  };
  const part = (type: string, body: string) =>
    `--${boundary}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${body.trimEnd()}\n\n`;
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${oneLine(value)}\n`);
  const body = `${part("text/plain", text)}${part("text/html", html)}--${boundary}--\n`;
  return `${head.join("")}\n${body}`.replace(/\r?\n/g, "\r\n");
}

function oneLine(value: string): string {
  const line = value.replace(/\p{Cc}+/gu, " ");
  // Only subjects can have non-ASCII characters; an address field would need another encoding.
  return /^[\x20-\x7e]*$/.test(line) ? line : `=?utf-8?B?${Buffer.from(line).toString("base64")}?=`;
}
