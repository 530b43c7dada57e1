import { describe, expect, test } from "vitest";
import type { ToldEvent } from "#domain/security-events.ts";
import { securityMail } from "#mail/security-mail.ts";

const reader = {
  id: "01a20233-091e-7641-b8b9-9888e239a787",
  to: "ana@example.com",
  accountUrl: "https://stopwatch.example.com/account",
};
const created: ToldEvent = {
  kind: "api_key_created",
  atMs: Date.UTC(2026, 2, 4, 14, 29),
  details: { keyName: "CI", env: "live" },
  network: "203.0.113.0/24",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
};
const linked: ToldEvent = { ...created, kind: "identity_linked", details: { provider: "github" }, userAgent: "curl/8" };

describe("the mail about new credentials", () => {
  test("says what happened, when, from which network and by which browser, and what to do if it was somebody else", () => {
    const mail = securityMail(reader, { events: [created], others: 0 });
    expect(mail.subject).toBe("A new live API key");
    expect(
      mail.text,
    ).toBe(`The live API key “CI” was created. That was on 4 March, 14:29 UTC, from 203.0.113.0/24, by Firefox on Linux.

See what happened: https://stopwatch.example.com/account

If this was not you, sign out elsewhere and remove the identity on that page, and revoke the key under API keys. These mails cannot be turned off.
`);
  });

  test("names the provider whose identity opens the account from now on, and no browser that it does not know", () => {
    const mail = securityMail(reader, { events: [linked], others: 0 });
    expect(mail.subject).toBe("GitHub can sign in to your account now");
    expect(mail.text).toContain("signed in with GitHub for the first time");
    expect(mail.text).not.toContain("curl");
  });

  test("is one for several events, lists them, and counts those that it does not list", () => {
    const mail = securityMail(reader, { events: [linked, created], others: 4 });
    expect(mail.subject).toBe("6 changes to who can use your account");
    expect(mail.text).toMatch(/GitHub for the first time[\s\S]*“CI” was created[\s\S]*And 4 more\./);
  });

  test("shows the name of a key as text, whatever characters it has", () => {
    const details = { keyName: '<img src=x onerror="alert(1)">', env: "live" } as const;
    const { html } = securityMail(reader, { events: [{ ...created, details }], others: 0 });
    expect(html).not.toContain("<img");
  });

  test("has the key of its notice and cannot be turned off", () => {
    const mail = securityMail(reader, { events: [created], others: 0 });
    expect(mail.idempotencyKey).toBe(`notice/${reader.id}`);
    expect(JSON.stringify(mail)).not.toMatch(/unsubscribe/i);
  });
});
