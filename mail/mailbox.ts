import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Mail, type Mailer, MailNotSent } from "./mail.ts";

type Settings = { folder: string; from: string; onWritten: (line: string) => void };

/**
 * Writes each mail to a folder as `<time>-<recipient>-<key>.eml`, the latter two hashed, atomically and readable only by the
 * owner, and reports it to `onWritten`. A mail whose idempotency key is already in the folder is not written again.
 */
export function createMailbox({ folder, from, onWritten }: Settings): Mailer {
  return {
    async send(mail) {
      const now = new Date();
      const { to, idempotencyKey } = mail;
      const suffix = `-${hashOf(to)}-${hashOf(idempotencyKey ?? randomUUID())}.eml`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if (idempotencyKey && (await readdir(folder)).some((name) => name.endsWith(suffix))) return;
        const file = join(folder, `${now.toISOString().replaceAll(":", "-")}${suffix}`);
        await writeWhole(file, emlOf({ ...mail, from, date: now }));
        onWritten(`mail to ${to}, "${mail.subject}": ${file}`);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new MailNotSent(`the mailbox folder ${folder} cannot be written (${code})`, { inDoubt: false });
      }
    },
  };
}

/** Deletes the mails to an address from a mailbox folder, also those that a process did not finish writing. */
export async function deleteMailsTo(folder: string, address: string): Promise<void> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  const own = names.filter((name) => name.includes(`-${hashOf(address)}-`));
  await Promise.all(own.map((name) => unlink(join(folder, name)).catch(ignoreMissing)));
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(/* turbopackIgnore: true */ draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
}

/**
 * A mail as the content of an .eml file (RFC 5322): text and HTML as alternatives, in unencoded UTF-8 so that people can
 * read it. Line breaks in header fields become spaces.
 */
function emlOf({ from, to, subject, text, html, headers = {}, date }: Mail & { from: string; date: Date }): string {
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
