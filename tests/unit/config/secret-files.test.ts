import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig, readLauncherConfig, SECRET_NAMES, SETTING_NAMES } from "#config.ts";

/** A value of each secret setting, and where the settings that are read have it. */
const SECRETS: Record<string, { value: string; at?: (config: ReturnType<typeof readConfig>) => unknown }> = {
  ENCRYPTION_KEYS: { value: `canary:${Buffer.alloc(32, 7).toString("base64")}`, at: (c) => c.keyRing.writer },
  DATABASE_URL: { value: "postgres://u:canary@localhost/x", at: (c) => c.databaseUrl },
  DATABASE_DIRECT_URL: { value: "postgres://u:canary@localhost/y", at: (c) => c.databaseDirectUrl },
  DATABASE_OWNER_URL: { value: "postgres://u:canary@localhost/z" },
  DATABASE_TARGET_URL: { value: "postgres://u:canary@localhost/new" },
  METRICS_TOKEN: { value: "canary-metrics", at: (c) => c.metricsToken },
  RESEND_API_KEY: { value: "canary-resend", at: (c) => c.mail.resendApiKey },
  AUTH_SECRET: { value: "canary".repeat(6), at: (c) => c.authSecret },
  AUTH_GOOGLE_SECRET: { value: "canary-google", at: (c) => c.google?.secret },
  AUTH_GITHUB_SECRET: { value: "canary-github", at: (c) => c.github?.secret },
  STRIPE_SECRET_KEY: { value: "canary-stripe", at: (c) => c.stripe?.secretKey },
  STRIPE_WEBHOOK_SECRET: { value: "canary-hook", at: (c) => c.stripe?.webhookSecret },
};
const NAMES = Object.keys(SECRETS);

/** What is no secret. A new setting belongs here or into SECRETS. */
const OPEN = [
  ...["PORT", "HOST", "BASE_URL", "DISPATCHER_PORT", "DATA_DIR", "PLANS", "DEFAULT_PLAN"],
  ...["DELIVERY_ALLOW", "DELIVERY_DENY", "DELIVERY_CA_FILE", "DELIVERY_CONNECTIONS_PER_ORIGIN"],
  ...["DELIVERY_CONNECTIONS_PER_ACCOUNT", "DELIVERY_CONNECTIONS_MAX"],
  ...["WEB_DATABASE_CONNECTIONS", "WEB_DATABASE_CONNECTIONS_READS", "WEB_DATABASE_CONNECTIONS_ANONYMOUS"],
  "WEB_DATABASE_IDLE_SECONDS",
  ...["DISPATCHER_DATABASE_CONNECTIONS_CLAIMS", "DISPATCHER_DATABASE_CONNECTIONS_RECORDS"],
  ...["DISPATCHER_DATABASE_CONNECTIONS_READS", "TRUSTED_PROXIES", "CLIENT_ADDRESS_HEADER", "COOKIE_DOMAIN", "HSTS"],
  ...[
    "ADMIN_EMAILS",
    "SECURITY_CONTACT",
    "SIGNUP",
    "SIGN_IN_MAILS_PER_HOUR",
    "TRIALS",
    "AUTH_GOOGLE_ID",
    "AUTH_GOOGLE_ISSUER",
    "AUTH_GITHUB_ID",
  ],
  ...["AUTH_GITHUB_BASE_URL", "RESEND_BASE_URL", "MAIL_FROM", "STRIPE_PRICE_INDIE", "STRIPE_BASE_URL", "LOG_LEVEL"],
];

/** Settings with which every secret may be set. */
const OTHERS = {
  AUTH_GOOGLE_ID: "id",
  AUTH_GITHUB_ID: "id",
  STRIPE_PRICE_INDIE: "price_1",
  MAIL_FROM: "a@example.com",
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stopwatch-secrets-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OF_LAUNCHER_ALONE = ["DATABASE_OWNER_URL", "DATABASE_TARGET_URL"];
const LAUNCHER = new Set(["ENCRYPTION_KEYS", "DATABASE_URL", "DATABASE_DIRECT_URL", ...OF_LAUNCHER_ALONE]);
const READERS = [
  { read: readConfig, reads: (name: string) => !OF_LAUNCHER_ALONE.includes(name) },
  { read: readLauncherConfig, reads: (name: string) => LAUNCHER.has(name) },
];

let files = 0;
function fileWith(content: string | Buffer): string {
  const path = join(folder, `secret-${files++}`);
  writeFileSync(path, content);
  return path;
}

const plain = (but: string) =>
  Object.fromEntries(NAMES.filter((name) => name !== but).map((name) => [name, SECRETS[name]?.value]));

/** All secrets are set; that of `name` in the file at `path`. */
const settingsWith = (name: string, path: string) => ({ ...OTHERS, ...plain(name), [`${name}_FILE`]: path });

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the settings were not refused");
}

test("every setting is either a secret, with a file form, or known to be none", () => {
  expect([...NAMES, ...OPEN].toSorted()).toEqual(SETTING_NAMES.toSorted());
  expect([...SECRET_NAMES].toSorted()).toEqual(NAMES.toSorted());
});

describe.each(NAMES)("%s_FILE", (name) => {
  const { value, at } = SECRETS[name] as (typeof SECRETS)[string];
  const readers = READERS.filter(({ reads }) => reads(name)).map(({ read }) => read);
  const refusals = (path: string, more = {}) =>
    readers.map((read) => messageOf(() => read({ ...settingsWith(name, path), ...more })));

  test("gives what the setting itself gives, without the line break at the end of the file", () => {
    for (const content of [value, `${value}\n`, `${value}\r\n`, `\uFEFF${value}\n`]) {
      const path = fileWith(content);
      const direct = { ...OTHERS, ...plain(name), [name]: value };
      expect(readLauncherConfig(settingsWith(name, path))).toEqual(readLauncherConfig(direct));
      if (!at) continue;
      expect(at(readConfig(settingsWith(name, path)))).toEqual(at(readConfig(direct)));
      expect(at(readConfig(direct))).toBeDefined();
    }
  });

  test("is refused beside the setting, by name", () => {
    for (const message of refusals(fileWith(value), { [name]: value })) {
      expect(message).toBe(`${name}_FILE: ${name} is set as well: set one of the two`);
    }
    for (const read of readers)
      expect(() => read({ ...settingsWith(name, fileWith(value)), [name]: "" })).not.toThrow();
  });

  test("is refused in one line that names the setting and the path, and shows nothing of the content", () => {
    mkdirSync(join(folder, "d"), { recursive: true });
    const cases: [path: string, why: string][] = [
      [join(folder, "none"), "does not exist"],
      [join(fileWith(value), "below"), "does not exist"],
      [join(folder, "d"), "is a folder"],
      ["/dev/null", "is not a regular file"],
      [fileWith(""), "is empty"],
      [fileWith("\n"), "is empty"],
      [fileWith(Buffer.from([...Buffer.from(value), 0xff])), "is not UTF-8"],
      [fileWith(`${value}\n\n`), "has more than one line, or control characters"],
      [fileWith(`${value}\n${value}`), "has more than one line, or control characters"],
      [fileWith(`${value}\0`), "has more than one line, or control characters"],
      [fileWith(value.padEnd(65_537, " ")), "has more than 65536 bytes"],
    ];
    for (const [path, why] of cases) {
      for (const message of refusals(path)) expect(message).toBe(`${name}_FILE: ${JSON.stringify(path)} ${why}`);
    }
  });

  test("shows no value that may be the secret itself", () => {
    for (const message of refusals(value))
      expect(message).toMatch(new RegExp(`^${name}_FILE: (?!.*canary).*not shown`));
  });
});

test("a process does not read the secrets that it does not need", () => {
  const none = join(folder, "none");
  expect(() => readLauncherConfig({ RESEND_API_KEY_FILE: none, AUTH_SECRET_FILE: none })).not.toThrow();
  expect(() =>
    readConfig({ ...OTHERS, ...plain(""), DATABASE_OWNER_URL: "", DATABASE_OWNER_URL_FILE: none }),
  ).not.toThrow();
});

test("a named pipe is refused at once, and a link to a file is followed", () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(messageOf(() => readLauncherConfig({ DATABASE_URL_FILE: pipe }))).toContain("is not a regular file");
  const link = join(folder, "link");
  symlinkSync(fileWith("postgres://localhost/linked"), link);
  expect(readLauncherConfig({ DATABASE_URL_FILE: link }).databaseUrl).toBe("postgres://localhost/linked");
});

test.skipIf(process.getuid?.() === 0)("a file that this user may not read is refused", () => {
  const path = fileWith("postgres://localhost/x");
  chmodSync(path, 0);
  expect(messageOf(() => readLauncherConfig({ DATABASE_URL_FILE: path }))).toBe(
    `DATABASE_URL_FILE: ${JSON.stringify(path)} cannot be read by this user`,
  );
});

test("a wrong value from a file is reported under the setting's name, and is not shown", () => {
  const message = messageOf(() => readLauncherConfig({ DATABASE_URL_FILE: fileWith("canary://host") }));
  expect(message).toMatch(/^DATABASE_URL: expected (?!.*canary)/);
});
