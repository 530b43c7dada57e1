import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "#config.ts";
import { createAuthority } from "#scripts/lab/certificates.ts";

const REQUIRED = {
  DATABASE_URL: "postgres://u:p@localhost/d",
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
};
const read = (more: Record<string, string>) => readConfig({ ...REQUIRED, ...more });

const folder = mkdtempSync(join(tmpdir(), "stopwatch-values-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (content: string | Buffer) => {
  const file = join(folder, `${crypto.randomUUID()}.pem`);
  writeFileSync(file, content);
  return file;
};

describe("a setting is refused, by name and with what it should be, when", () => {
  it.each([
    ["a port is hexadecimal", { PORT: "0x10" }, /^PORT: expected a port/],
    ["a port has an exponent", { PORT: "3e3" }, /^PORT: expected a port/],
    ["a port has a blank", { PORT: " 3000" }, /^PORT: expected a port/],
    ["a port is too high", { DISPATCHER_PORT: "65536" }, /^DISPATCHER_PORT: expected a port/],
    [
      "a bound is hexadecimal",
      { DELIVERY_CONNECTIONS_MAX: "0xff" },
      /^DELIVERY_CONNECTIONS_MAX: expected a whole number/,
    ],
    ["a pool is too large", { WEB_DATABASE_CONNECTIONS: "101" }, /^WEB_DATABASE_CONNECTIONS: expected at most 100/],
    [
      "the base URL has a path",
      { BASE_URL: "https://example.com/stopwatch" },
      /^BASE_URL: expected an address without path/,
    ],
    [
      "the base URL has a query",
      { BASE_URL: "https://example.com/?a=1" },
      /^BASE_URL: expected an address without path/,
    ],
    [
      "the base URL has a fragment",
      { BASE_URL: "https://example.com/#a" },
      /^BASE_URL: expected an address without path/,
    ],
    [
      "the base URL has a password",
      { BASE_URL: "https://a:b@example.com" },
      /^BASE_URL: expected an address without path/,
    ],
    [
      "the base URL ends with a carriage return",
      { BASE_URL: "https://example.com\r" },
      /^BASE_URL: ends with a line break/,
    ],
    [
      "an address of a database ends with a line break",
      { DATABASE_URL: "postgres://u:p@h/d\n" },
      /^DATABASE_URL: ends with/,
    ],
    ["a key has a line break inside", { METRICS_TOKEN: "a\nb" }, /^METRICS_TOKEN: has a line break/],
    [
      "sslmode is another driver's",
      { DATABASE_URL: "postgres://u:p@h/d?sslmode=no-verify" },
      /sslmode=.*no-verify is require here/,
    ],
    ["sslmode ends with a blank", { DATABASE_URL: "postgres://u:p@h/d?sslmode=require%20" }, /sslmode=.*it has blanks/],
    [
      "a client certificate has no key",
      { DATABASE_URL: "postgres://u:p@h/d?sslcert=/c" },
      /expected sslcert and sslkey, or neither/,
    ],
  ])("%s", (_, more, says) => {
    expect(() => read(more)).toThrow(says);
  });
});

it("a base URL is taken with a slash at its end, and a list or JSON over several lines", () => {
  const config = read({ BASE_URL: "https://Example.com/", DELIVERY_ALLOW: "a.local:1,\nb.local:2\n", PLANS: "{}\n" });
  expect(config.baseUrl).toBe("https://example.com");
  expect(config.targetPolicy.allowedOrigins.size).toBe(2);
});

it("what is set under a name that is nearly a setting's is told, with the setting that is meant", () => {
  const others = {
    DELIVERY_ALOW: "x",
    DISPATCHER_PROT: "1",
    METRICS_TOKEN_FILE: fileOf("t"),
    HOSTS: "a",
    AUTH_URL: "b",
  };
  expect(read(others).misspelt).toEqual([
    { name: "DELIVERY_ALOW", meant: "DELIVERY_ALLOW" },
    { name: "DISPATCHER_PROT", meant: "DISPATCHER_PORT" },
  ]);
});

describe("a file of authorities for targets", () => {
  it("is taken with texts between its certificates, which are all kept", async () => {
    const [one, other] = await Promise.all([createAuthority(), createAuthority()]);
    const file = fileOf(`# Größe\n${one.ca.trim()}\n\nthe other:\n${other.ca}`);
    expect(read({ DELIVERY_CA_FILE: file }).deliveryCa).toBe(`${one.ca.trim()}\n${other.ca.trim()}\n`);
  });

  it.each<[string, (pem: string) => string | Buffer, RegExp]>([
    ["empty", () => "\n", /it is empty/],
    [
      "a key",
      () => "-----BEGIN PRIVATE KEY-----\nMAo=\n-----END PRIVATE KEY-----\n",
      /a private key and no certificate/,
    ],
    [
      "DER",
      (pem) => Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ""), "base64"),
      /it is DER.*openssl x509 -inform der/,
    ],
    [
      "PKCS #7",
      () => "-----BEGIN PKCS7-----\nMAo=\n-----END PKCS7-----\n",
      /it is PKCS #7.*openssl pkcs7 -print_certs/,
    ],
    ["cut off", (pem) => pem + pem.slice(0, 100), /its last certificate is cut off/],
    ["damaged", (pem) => pem + pem.replace(/^(M.{20})./m, "$1A$1"), /its certificate 2 is damaged/],
    ["a page", () => "<!doctype html>", /no certificate in PEM/],
  ])("is refused when it is %s, by what it is and how it is converted", async (_, make, says) => {
    const { ca } = await createAuthority();
    expect(() => read({ DELIVERY_CA_FILE: fileOf(make(ca)) })).toThrow(says);
  });
});
