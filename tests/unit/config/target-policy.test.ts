import { expect, it } from "vitest";
import { readConfig } from "#config.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";

const REQUIRED = { DATABASE_URL: "postgres://localhost/x", ENCRYPTION_KEYS };

it("an entry without its port is named once, with its setting and the whole value", () => {
  expect(() =>
    readConfig({ ...REQUIRED, DELIVERY_ALLOW: "a.local:8443, https://api.local", DELIVERY_DENY: "evil.example" }),
  ).toThrow(
    /^DELIVERY_ALLOW: expected host:port or scheme:\/\/host:port with http or https, always with the port, not "https:\/\/api.local"; got "a.local:8443, https:\/\/api.local"$/,
  );
});

it("both lists are judged, and what is left is their policy", () => {
  const wrong = { ...REQUIRED, DELIVERY_ALLOW: "a.local", DELIVERY_DENY: "http://evil.example" };
  expect(() => readConfig(wrong)).toThrow(/^DELIVERY_ALLOW: expected .*\nDELIVERY_DENY: expected a host, /);
  const { targetPolicy } = readConfig({ ...REQUIRED, DELIVERY_ALLOW: "a.local:1", DELIVERY_DENY: "evil.example" });
  expect([...targetPolicy.allowedOrigins, ...targetPolicy.deniedHosts]).toEqual(["https://a.local:1", "evil.example"]);
});
