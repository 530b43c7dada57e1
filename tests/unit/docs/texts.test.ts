import { describe, expect, it } from "vitest";
import { readConfig } from "#config.ts";
import { readFullText } from "#server/docs/full-text.ts";
import { DOC_PAGES, docMarkdownHref } from "#server/docs/pages.ts";
import { securityTxt } from "#server/security-txt.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";

const emptyFolder = emptyFolders();

const BASE_URL = "https://stopwatch.example.com";

describe("/llms-full.txt", () => {
  it("has every page once, after its address, with the address of the installation in its examples", async () => {
    const text = await readFullText(BASE_URL);
    const pages = [...text.matchAll(/^Page: (\S+)$/gm)].map(([, address]) => address);
    expect(pages).toEqual(DOC_PAGES.map((page) => BASE_URL + docMarkdownHref(page)));
    expect(text).toContain(`curl ${BASE_URL}/v1/schedules`);
    for (const { title } of DOC_PAGES) expect(text).toContain(`# ${title}`);
  });

  it("has a bound, beyond which it only names pages", async () => {
    const whole = await readFullText(BASE_URL);
    const bounded = await readFullText(BASE_URL, 50_000);
    expect(Buffer.byteLength(whole)).toBeLessThan(1_000_000);
    expect(Buffer.byteLength(bounded)).toBeLessThan(50_000 + DOC_PAGES.length * 150);
    expect(bounded.match(/^Page: /gm)).toHaveLength(DOC_PAGES.length);
    expect(bounded).toMatch(/^Page: \S+ \(left out: too long\)$/m);
  });
});

describe("/.well-known/security.txt", () => {
  const now = new Date("2026-11-26T14:00:00Z");

  it("has the operator's contacts, an expiry within a year that is the same all day, and its own address", () => {
    const text = securityTxt(["mailto:security@example.com", "https://example.com/report"], BASE_URL, now);
    expect(text).toBe(
      `Contact: mailto:security@example.com
Contact: https://example.com/report
Expires: 2027-05-25T00:00:00.000Z
Canonical: ${BASE_URL}/.well-known/security.txt
`,
    );
    expect(securityTxt(["mailto:a@b.example"], BASE_URL, new Date("2026-11-26T23:59:59.999Z"))).toContain("2027-05-25");
  });

  it("is absent without a contact, which the format demands", () => {
    expect(securityTxt([], BASE_URL, now)).toBeNull();
  });

  const contacts = (SECURITY_CONTACT?: string) =>
    readConfig({
      DATABASE_URL: "postgres://a@b/c",
      ENCRYPTION_KEYS,
      DATA_DIR: emptyFolder(),
      ...(SECURITY_CONTACT !== undefined && { SECURITY_CONTACT }),
    }).securityContacts;

  it("has its contacts from SECURITY_CONTACT: addresses and pages", () => {
    expect(contacts()).toEqual([]);
    expect(contacts("Security@example.com, https://example.com/report?a=1")).toEqual([
      "mailto:security@example.com",
      "https://example.com/report?a=1",
    ]);
  });

  it.each([
    "security",
    "http://example.com",
    "https://",
    "javascript:alert(1)",
    "a@b.example,,",
    "https://a.example/\nX: y",
  ])("refuses %j as a contact", (contact) => {
    expect(() => contacts(contact)).toThrow("SECURITY_CONTACT: expected e-mail addresses and https:// pages");
  });
});
