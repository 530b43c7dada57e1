import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";

const read = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: "postgres://localhost/x",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...settings,
  });

describe("ADMIN_EMAILS", () => {
  test("is a list of addresses, told apart without regard to letter case and spaces", () => {
    expect(read({ ADMIN_EMAILS: " Ada@Example.com,b@example.com " }).adminEmails).toEqual(
      new Set(["ada@example.com", "b@example.com"]),
    );
    expect(read({}).adminEmails).toEqual(new Set());
  });

  test.each(["ada", "a@example.com,", "a@example.com;b@example.com"])("is refused as %j", (list) => {
    expect(() => read({ ADMIN_EMAILS: list })).toThrow(/^ADMIN_EMAILS: expected e-mail addresses/);
  });
});

describe("COOKIE_DOMAIN", () => {
  test.each(["example.com", "api.example.com"])("may be %s for https://api.example.com", (domain) => {
    expect(read({ BASE_URL: "https://api.example.com", COOKIE_DOMAIN: domain }).cookieDomain).toBe(domain);
  });

  test.each(["other.com", "ample.com", "www.api.example.com", "com", ".example.com", "example.com; Secure"])(
    "is refused as %j, which a browser would not take from there",
    (domain) => {
      expect(() => read({ BASE_URL: "https://api.example.com", COOKIE_DOMAIN: domain })).toThrow(/^COOKIE_DOMAIN: /);
    },
  );

  test("may be left out", () => {
    expect(read({}).cookieDomain).toBeUndefined();
  });
});
