import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { emlOf } from "./eml.ts";
import { type Mail, type Mailer, MailNotSent } from "./mail.ts";

type Settings = { folder: string; from: string; onWritten: (line: string) => void };

/**
 * Writes each mail to a folder as `<time>-<key>.eml`, atomically and readable only by the owner, and reports it to
 * `onWritten`. A mail whose idempotency key is already in the folder is not written again.
 */
export function createMailbox({ folder, from, onWritten }: Settings): Mailer {
  return {
    async send(mail) {
      const now = new Date();
      const suffix = `-${keyOf(mail)}.eml`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if (mail.idempotencyKey && (await readdir(folder)).some((name) => name.endsWith(suffix))) return;
        const file = join(folder, `${now.toISOString().replaceAll(":", "-")}${suffix}`);
        await writeWhole(file, emlOf({ ...mail, from, date: now }));
        onWritten(`mail to ${mail.to}, "${mail.subject}": ${file}`);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new MailNotSent(`the mailbox folder ${folder} cannot be written (${code})`, { inDoubt: false });
      }
    },
  };
}

/** Deletes the mails to an address from a mailbox folder, whichever process wrote them. */
export async function deleteMailsTo(folder: string, address: string): Promise<void> {
  const names = await readdir(folder).catch(ignoreMissing);
  for (const name of (names ?? []).filter((one) => one.includes(".eml"))) {
    const file = join(folder, name);
    const [head = ""] = (await readFile(file, "utf8").catch(ignoreMissing))?.split("\r\n\r\n", 1) ?? [];
    if (head.split("\r\n").includes(`To: ${address}`)) await unlink(file).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function keyOf({ idempotencyKey }: Mail): string {
  if (!idempotencyKey) return randomUUID().slice(0, 8);
  return createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 16);
}

async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, "wx", 0o600);
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
