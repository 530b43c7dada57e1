import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";

const read = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: "postgres://localhost/x",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...settings,
  });

describe("ADMIN_EMAILS", () => {
  test("is a list of e-mail addresses that are compared without regard to letter case and spaces", () => {
    expect(read({ ADMIN_EMAILS: " Ada@Example.com,b@example.com " }).adminEmails).toEqual(
      new Set(["ada@example.com", "b@example.com"]),
    );
    expect(read({}).adminEmails).toEqual(new Set());
  });

  test.each([
    "ada",
    "a@example.com,",
    "a@example.com;b@example.com",
    "\u212Aim@example.com",
    "a@example.com,\u00A0b@example.com",
  ])("is refused as %j", (list) => {
    expect(() => read({ ADMIN_EMAILS: list })).toThrow(/^ADMIN_EMAILS: expected e-mail addresses/);
  });
});

describe("COOKIE_DOMAIN", () => {
  test.each(["example.com", "api.example.com"])("may be %s for https://api.example.com", (domain) => {
    expect(read({ BASE_URL: "https://api.example.com", COOKIE_DOMAIN: domain }).cookieDomain).toBe(domain);
  });

  test.each(["other.com", "ample.com", "www.api.example.com", "com", ".example.com", "example.com; Secure"])(
    "is refused as %j, which a browser would not accept from that host",
    (domain) => {
      expect(() => read({ BASE_URL: "https://api.example.com", COOKIE_DOMAIN: domain })).toThrow(/^COOKIE_DOMAIN: /);
    },
  );

  test("may be omitted", () => {
    expect(read({}).cookieDomain).toBeUndefined();
  });
});

describe("the mail setting", () => {
  test("writes mail into a folder of the data folder unless there is a key for a provider", () => {
    expect(read({ DATA_DIR: "/data" }).mail).toMatchObject({ resendApiKey: undefined, mailboxDir: "/data/mailbox" });
  });

  test.each(["notices@example.com", "Stopwatch <notices@example.com>", "Stöp, watch <n@example.com>"])(
    "accepts %s as the sender",
    (from) => {
      expect(read({ RESEND_API_KEY: "re_1", MAIL_FROM: from }).mail).toMatchObject({ from, resendApiKey: "re_1" });
    },
  );

  test.each([
    "Stopwatch",
    "<n@example.com>",
    "a@b@c",
    "S <n@example.com>\r\nBcc: eve@example.com",
    "S <n@ex\u0430mple.com>",
  ])("refuses %j as the sender", (from) => {
    expect(() => read({ MAIL_FROM: from })).toThrow(/^MAIL_FROM: /);
  });

  test("requires a sender with a provider, and does not show the provider's key in its error message", () => {
    expect(() => read({ RESEND_API_KEY: "re_secret" })).toThrow(
      /^MAIL_FROM: .*since RESEND_API_KEY is set; it is not set$/,
    );
    expect(() => read({ RESEND_API_KEY: "re_secret", PORT: "x" })).not.toThrow(/re_secret/);
  });
});
