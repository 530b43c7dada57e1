import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { deleteMailsTo } from "#mail/mailbox.ts";
import { createMailer } from "#mail/mailer.ts";
import { signInMail } from "#mail/sign-in-mail.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";

const emptyFolder = emptyFolders();

const LINK = "https://stopwatch.example.com/v1/auth/magic/verify?token=abc&email=ana%40example.com";
const mail = signInMail({ to: "ana@example.com", link: LINK, expiresAt: new Date("2026-03-04T14:47:00Z") });

async function mailbox() {
  const mailboxDir = join(emptyFolder(), "mailbox");
  const lines: string[] = [];
  const settings = {
    from: "Stopwatch <hello@example.com>",
    resendApiKey: undefined,
    resendBaseUrl: undefined,
    mailboxDir,
  };
  const mailer = createMailer(settings, { onWritten: (line) => lines.push(line) });
  const read = async () =>
    Promise.all((await readdir(mailboxDir)).toSorted().map((name) => readFile(join(mailboxDir, name), "utf8")));
  return { mailer, lines, mailboxDir, read };
}

test("without a provider a mail becomes one file that a mail program can read and other users cannot, and a log line names it", async () => {
  const { mailer, lines, mailboxDir, read } = await mailbox();
  await mailer.send({ ...mail, headers: { "List-Unsubscribe": "<https://example.com/u>" } });
  const [name] = await readdir(mailboxDir);
  const file = join(mailboxDir, String(name));
  expect(lines).toEqual([`mail to ana@example.com, "Your link to Stopwatch": ${file}`]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const [text] = await read();
  const parsed = await PostalMime.parse(String(text));
  expect(parsed).toMatchObject({
    subject: mail.subject,
    to: [{ address: mail.to }],
    from: { address: "hello@example.com" },
  });
  expect(parsed.headers).toContainEqual(
    expect.objectContaining({ key: "list-unsubscribe", value: "<https://example.com/u>" }),
  );
  expect(parsed.text?.replaceAll("\r\n", "\n").trim()).toBe(mail.text.trim());
  expect(parsed.html?.replaceAll("\r\n", "\n").trim()).toBe(mail.html.trim());
});

test("a mail whose idempotency key was used before is not written again", async () => {
  const { mailer, read } = await mailbox();
  for (const idempotencyKey of ["a", "b", "a"]) await mailer.send({ ...mail, idempotencyKey });
  expect(await read()).toHaveLength(2);
});

test("all mails to one address can be deleted, and no other ones", async () => {
  const { mailer, mailboxDir, read } = await mailbox();
  await deleteMailsTo(mailboxDir, "ana@example.com");
  await mailer.send(mail);
  await mailer.send({ ...mail, idempotencyKey: "a", subject: "Ä" });
  const others = ["eva.ana@example.com", "ana@example.com.example", "ana@example.co"];
  for (const to of others) await mailer.send({ ...mail, to, text: "To: ana@example.com\n\nTo: ana@example.com" });
  await deleteMailsTo(mailboxDir, "ana@example.com");
  const left = await Promise.all((await read()).map((text) => PostalMime.parse(text)));
  expect(left.map(({ to }) => to?.[0]?.address).toSorted()).toEqual(others.toSorted());
});

test("a subject with a line break or with letters beyond ASCII adds no header field", async () => {
  const { mailer, read } = await mailbox();
  await mailer.send({ ...mail, subject: "80 % of März is used\r\nBcc: eve@example.com" });
  const parsed = await PostalMime.parse(String((await read())[0]));
  expect(parsed.subject).toBe("80 % of März is used Bcc: eve@example.com");
  expect(parsed.bcc).toBeUndefined();
});

test("a mail that cannot be written to its folder is reported as not sent", async () => {
  const { mailboxDir } = await mailbox();
  const settings = {
    from: "a@example.com",
    resendApiKey: undefined,
    resendBaseUrl: undefined,
    mailboxDir: "/dev/null/x",
  };
  expect(mailboxDir).toBeDefined();
  await expect(createMailer(settings, { onWritten: () => {} }).send(mail)).rejects.toMatchObject({
    name: "MailNotSent",
    inDoubt: false,
  });
});

test("the sign-in mail has the link, until when it works, and what to do if nobody asked for it, in both forms", () => {
  for (const form of [mail.text, mail.html.replaceAll("&amp;", "&")]) {
    expect(form).toContain(LINK);
    expect(form).toContain("until 14:47 UTC (15 minutes)");
    expect(form).toContain("You did not ask for it?");
  }
});
