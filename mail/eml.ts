import { randomUUID } from "node:crypto";
import type { Mail } from "./mail.ts";

/**
 * A mail as a file that mail programs open and people can read (RFC 5322, text and HTML as alternatives, UTF-8 as it is).
 * Line breaks in header fields become spaces.
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
  // Only a subject has anything else than ASCII; an address with it would need another form.
  return /^[\x20-\x7e]*$/.test(line) ? line : `=?utf-8?B?${Buffer.from(line).toString("base64")}?=`;
}
