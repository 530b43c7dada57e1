import { afterEach, beforeEach, expect, test } from "vitest";
import { createMailer } from "#mail/mailer.ts";
import { createResendMailer } from "#mail/resend-mailer.ts";
import { type FakeResend, startFakeResend } from "../../helpers/fake-resend.ts";

const mail = { to: "ana@example.com", subject: "Hello", text: "Hello, Ana", html: "<p>Hello, Ana</p>" };

let resend: FakeResend;
beforeEach(async () => {
  resend = await startFakeResend();
});
afterEach(() => resend.close());

const mailer = () => createMailer(resend.settings, { onWritten: () => {} });

test("a mail reaches the provider with its sender, addressee, both forms, headers and idempotency key", async () => {
  const headers = { "List-Unsubscribe": "<https://example.com/u>" };
  await mailer().send({ ...mail, headers, idempotencyKey: "notice/1" });
  expect(resend.accepted).toEqual([{ ...mail, from: resend.settings.from, headers, idempotencyKey: "notice/1" }]);
});

test("a mail whose idempotency key was used before counts as sent, even when its words have changed since", async () => {
  for (const text of ["Hello, Ana", "Hello, Ana", "Good day, Ana"])
    await mailer().send({ ...mail, text, idempotencyKey: "notice/1" });
  expect(resend.accepted).toHaveLength(1);
});

test.each([
  ["an error of the provider", { status: 500 }, { inDoubt: true, message: expect.stringContaining("answered 500") }],
  ["an error page", { status: 502, body: "<h1>Bad gateway</h1>" }, { inDoubt: true }],
  ["an error without a word", { status: 500, body: "null" }, { inDoubt: true }],
  ["a 200 without a word", { status: 200, body: "" }, { inDoubt: true }],
  [
    "a mail with its key that is being sent",
    { status: 409, name: "concurrent_idempotent_requests" },
    { inDoubt: true },
  ],
  ["a refusal", { status: 422, name: "validation_error" }, { inDoubt: false }],
  [
    "a limit",
    { status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "7" } },
    { inDoubt: false, retryAfterMs: 7_000 },
  ],
  ["a connection that breaks", "drop before accepting", { inDoubt: true }],
  ["an answer that is lost", "drop after accepting", { inDoubt: true }],
] as const)(
  "%s is reported as a mail that was not sent, and says whether it is in doubt",
  async (_, behaviour, expected) => {
    resend.behave(behaviour);
    await expect(mailer().send(mail)).rejects.toMatchObject({ name: "MailNotSent", ...expected });
  },
);

test("a provider that does not answer is given up on after the deadline", async () => {
  resend.behave("hang");
  const { resendApiKey: apiKey, resendBaseUrl: baseUrl, from } = resend.settings;
  const impatient = createResendMailer({ apiKey, baseUrl, from, deadlineMs: 100 });
  await expect(impatient.send(mail)).rejects.toMatchObject({ name: "MailNotSent", inDoubt: true });
});

test("a provider's error message is reported without addresses and keys", async () => {
  resend.behave({
    status: 403,
    name: "invalid_api_key",
    message: "re_abc123 may only send to ana.b@example.com (ana)",
  });
  const error = await mailer().send(mail).catch(String);
  expect(error).toContain("answered 403 (invalid_api_key): re_… may only send to …@example.com");
  expect(error).not.toMatch(/abc123|ana\.b/);
});
