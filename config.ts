import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseTrustedProxies } from "#domain/caller-address.ts";
import { readAuthorities } from "#domain/certificate-authorities.ts";
import { parseKeyRing } from "#domain/cipher.ts";
import { isConfidentialUrl, isLoopbackHost } from "#domain/confidential-url.ts";
import { parseDatabaseAddress } from "#domain/database-address.ts";
import { typedEmailAddress } from "#domain/email-address.ts";
import { nearestName } from "#domain/nearest-name.ts";
import { PLAN_NAMES, parsePlans } from "#domain/plans.ts";
import { isRefusedPort } from "#domain/refused-ports.ts";
import { parseSecurityContacts } from "#domain/security-contacts.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { readSecretFiles } from "./secret-files.ts";

export type Config = ReturnType<typeof readConfig>;

/** Invalid settings. The message lists each with the expectation and the value, except values of secrets. */
export class ConfigError extends Error {}

/**
 * Reads all settings from `env` (see `.env.example`), secrets also from the files that `<name>_FILE` names, and applies
 * defaults. Throws a ConfigError with all invalid settings.
 */
export function readConfig(env: Record<string, string | undefined> = processEnv()) {
  const { given, unread } = readGiven(env, settings.shape);
  const parsed = settings.safeParse(given);
  const problems = [...unread.values(), ...problemsOf(parsed, given, unread)];
  const derive = <T>(name: string, make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      problems.push(problem(name, (error as Error).message, given));
    }
  };
  // Derived from `given` instead of `parsed`, so that all problems are reported at once.
  const keyRing = derive("ENCRYPTION_KEYS", () => given.ENCRYPTION_KEYS && parseKeyRing(given.ENCRYPTION_KEYS));
  const plans = derive("PLANS", () => parsePlans(given.PLANS));
  const allowed = derive("DELIVERY_ALLOW", () => parseTargetPolicy(given.DELIVERY_ALLOW ?? "", ""));
  const denied = derive("DELIVERY_DENY", () => parseTargetPolicy("", given.DELIVERY_DENY ?? ""));
  const targetPolicy = allowed && denied && { ...denied, allowedOrigins: allowed.allowedOrigins };
  const trustedProxies = derive("TRUSTED_PROXIES", () => parseTrustedProxies(given.TRUSTED_PROXIES ?? ""));
  const caFile = given.DELIVERY_CA_FILE;
  const deliveryCa = derive("DELIVERY_CA_FILE", () =>
    caFile ? readAuthorities(readFileSync(/* turbopackIgnore: true */ caFile)) : undefined,
  );
  if (!parsed.success || !keyRing || !plans || !targetPolicy || !trustedProxies || problems.length > 0) {
    throw new ConfigError(problems.join("\n"));
  }
  const s = parsed.data;

  return {
    databaseUrl: s.DATABASE_URL,
    databaseDirectUrl: s.DATABASE_DIRECT_URL ?? s.DATABASE_URL,
    ignoredDatabaseParameters: ignoredParameters([s.DATABASE_URL, s.DATABASE_DIRECT_URL]),
    misspelt: misspeltSettings(env),
    port: s.PORT,
    host: s.HOST,
    baseUrl: s.BASE_URL ?? `http://localhost:${s.PORT}`,
    keyRing,
    plans,
    defaultPlan: s.DEFAULT_PLAN,
    targetPolicy,
    deliveryAllow: s.DELIVERY_ALLOW,
    deliveryCa,
    connectionsPerOrigin: s.DELIVERY_CONNECTIONS_PER_ORIGIN,
    connectionsPerAccount: s.DELIVERY_CONNECTIONS_PER_ACCOUNT,
    connectionsMax: s.DELIVERY_CONNECTIONS_MAX,
    /** Database connections of a web process, by pool. */
    webConnections: {
      writes: s.WEB_DATABASE_CONNECTIONS,
      reads: s.WEB_DATABASE_CONNECTIONS_READS,
      anonymous: s.WEB_DATABASE_CONNECTIONS_ANONYMOUS,
    },
    /** How long a connection of a web process may be idle before it is replaced, seconds. */
    webIdleSeconds: s.WEB_DATABASE_IDLE_SECONDS,
    /** Database connections of a dispatcher, by pool. */
    dispatcherConnections: {
      claims: s.DISPATCHER_DATABASE_CONNECTIONS_CLAIMS,
      records: s.DISPATCHER_DATABASE_CONNECTIONS_RECORDS,
      reads: s.DISPATCHER_DATABASE_CONNECTIONS_READS,
    },
    dispatcherPort: s.DISPATCHER_PORT,
    trustedProxies,
    clientAddressHeader: s.CLIENT_ADDRESS_HEADER,
    metricsToken: s.METRICS_TOKEN,
    cookieDomain: s.COOKIE_DOMAIN,
    hsts: s.HSTS,
    adminEmails: new Set(s.ADMIN_EMAILS),
    securityContacts: s.SECURITY_CONTACT,
    authSecret: s.AUTH_SECRET,
    signInMailsPerHour: s.SIGN_IN_MAILS_PER_HOUR,
    /** Whether the first page offers a trial without an account. */
    trials: s.TRIALS === "on",
    signup: s.SIGNUP ?? (isOnlyHere(s) ? ("open" as const) : ("first" as const)),
    google: provider(s.AUTH_GOOGLE_ID, s.AUTH_GOOGLE_SECRET, { issuer: s.AUTH_GOOGLE_ISSUER }),
    github: provider(s.AUTH_GITHUB_ID, s.AUTH_GITHUB_SECRET, { baseUrl: s.AUTH_GITHUB_BASE_URL?.replace(/\/+$/, "") }),
    mail: {
      from: s.MAIL_FROM ?? DEFAULT_MAIL_FROM,
      resendApiKey: s.RESEND_API_KEY,
      resendBaseUrl: s.RESEND_BASE_URL?.replace(/\/+$/, ""),
      mailboxDir: `${s.DATA_DIR}/mailbox`,
    },
    /** Undefined: billing is not configured. */
    stripe:
      s.STRIPE_SECRET_KEY && s.STRIPE_WEBHOOK_SECRET && s.STRIPE_PRICE_INDIE
        ? {
            secretKey: s.STRIPE_SECRET_KEY,
            webhookSecret: s.STRIPE_WEBHOOK_SECRET,
            price: s.STRIPE_PRICE_INDIE,
            baseUrl: s.STRIPE_BASE_URL,
          }
        : undefined,
    logLevel: s.LOG_LEVEL,
  };
}

/** Settings of the launcher, which starts a database and generates keys when they are not set. */
export function readLauncherConfig(env: Record<string, string | undefined> = processEnv()) {
  const { given, unread } = readGiven(env, launcherSettings.shape);
  const parsed = launcherSettings.safeParse(given);
  const problems = [...unread.values(), ...problemsOf(parsed, given, unread)];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems.join("\n"));
  const s = parsed.data;
  return {
    databaseUrl: s.DATABASE_URL,
    databaseDirectUrl: s.DATABASE_DIRECT_URL ?? s.DATABASE_URL,
    databaseOwnerUrl: s.DATABASE_OWNER_URL,
    databaseTargetUrl: s.DATABASE_TARGET_URL,
    dataDir: s.DATA_DIR,
    port: s.PORT,
    host: s.HOST,
    baseUrl: s.BASE_URL ?? `http://localhost:${s.PORT}`,
    dispatcherPort: s.DISPATCHER_PORT,
    hasEncryptionKeys: s.ENCRYPTION_KEYS !== undefined,
  };
}

/** The whole environment, for child processes. All other code reads settings through `readConfig`. */
export function processEnv(): Record<string, string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the one place that reads it
  return process.env;
}

/** Removes NODE_TLS_REJECT_UNAUTHORIZED, so that certificates are always verified. Returns whether it was set. */
export function refuseTlsOverride(): boolean {
  const env = processEnv();
  const wasSet = env.NODE_TLS_REJECT_UNAUTHORIZED !== undefined;
  delete env.NODE_TLS_REJECT_UNAUTHORIZED;
  return wasSet;
}

/** Removes the variables by which next-auth would override its base URL or redirect through a proxy. */
export function ignoreAuthAddresses(): void {
  const env = processEnv();
  for (const name of ["AUTH_URL", "NEXTAUTH_URL", "AUTH_REDIRECT_PROXY_URL"]) delete env[name];
}

/** Digits alone: Number() takes "0x10", "1e3" and blanks, too. */
function wholeNumber(form: string) {
  return z
    .string(form)
    .regex(/^\d{1,9}$/, form)
    .transform(Number)
    .pipe(z.number());
}

const portForm = "expected a port from 0 to 65535";
const port = wholeNumber(portForm)
  .refine((number) => number <= 65_535, portForm)
  .refine((number) => !isRefusedPort(number), "expected a port to which browsers connect, which this is not");
const postgresUrl = z.string("expected postgres://user:password@host:port/database").superRefine((text, context) => {
  try {
    parseDatabaseAddress(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});
/** Sender of mails in the mailbox folder; with a mail provider MAIL_FROM is required. */
const DEFAULT_MAIL_FROM = "Stopwatch <stopwatch@localhost>";
const mailFromForm = "expected an address, or a name and an address such as Stopwatch <notices@example.com>";
const address = z
  .url({ protocol: /^https?$/, error: "expected an http or https address" })
  .refine(
    (url) => !URL.canParse(url) || !isRefusedPort(Number(new URL(url).port)),
    "expected a port to which browsers connect",
  );
// Credentials are sent there.
const confidentialAddress = address.refine(
  isConfidentialUrl,
  "expected an https address, or an http one of this machine",
);
const addressHeaderForm = "expected the name of a header that holds an address, such as x-vercel-forwarded-for";
const boundForm = "expected a whole number from 1";
const bound = wholeNumber(boundForm).refine((number) => number >= 1, boundForm);

const poolSize = bound.refine((number) => number <= 100, "expected at most 100");

const shared = {
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  BASE_URL: address
    .refine(
      (url) => isOrigin(url),
      "expected an address without path, query, fragment and password, such as https://stopwatch.example.com",
    )
    .transform((url) => new URL(url).origin)
    .optional(),
  DISPATCHER_PORT: port.default(9464),
  DATA_DIR: z.string().default(".data"),
};

const settings = z
  .object({
    ...shared,
    DATABASE_URL: postgresUrl,
    DATABASE_DIRECT_URL: postgresUrl.optional(),
    ENCRYPTION_KEYS: z.string("expected <id>:<base64 of 32 bytes>, the first one writes"),
    PLANS: z.string().optional(),
    DEFAULT_PLAN: z.enum(PLAN_NAMES).default("free"),
    DELIVERY_ALLOW: z.string().default(""),
    DELIVERY_DENY: z.string().default(""),
    DELIVERY_CA_FILE: z.string().optional(),
    DELIVERY_CONNECTIONS_PER_ORIGIN: bound.default(256),
    DELIVERY_CONNECTIONS_PER_ACCOUNT: bound.default(1024),
    DELIVERY_CONNECTIONS_MAX: bound.default(4096),
    WEB_DATABASE_CONNECTIONS: poolSize.default(10),
    WEB_DATABASE_CONNECTIONS_READS: poolSize.default(6),
    WEB_DATABASE_CONNECTIONS_ANONYMOUS: poolSize.default(2),
    WEB_DATABASE_IDLE_SECONDS: bound.refine((number) => number <= 3_600, "at most 3600").default(300),
    DISPATCHER_DATABASE_CONNECTIONS_CLAIMS: poolSize.default(2),
    DISPATCHER_DATABASE_CONNECTIONS_RECORDS: poolSize.default(2),
    DISPATCHER_DATABASE_CONNECTIONS_READS: poolSize.default(3),
    TRUSTED_PROXIES: z.string().default(""),
    CLIENT_ADDRESS_HEADER: z
      .string()
      .toLowerCase()
      // A field name (RFC 9110, section 5.1).
      .regex(/^(?!forwarded$|x-stopwatch-)[!#$%&'*+.^_`|~0-9a-z-]+$/, addressHeaderForm)
      .optional(),
    METRICS_TOKEN: z.string().optional(),
    COOKIE_DOMAIN: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "expected a domain such as example.com")
      .optional(),
    HSTS: z.enum(["host", "subdomains", "off"]).default("host"),
    ADMIN_EMAILS: z
      .string()
      .transform((list) => list.split(","))
      .pipe(z.array(typedEmailAddress("expected e-mail addresses, separated by commas")))
      .default([]),
    SECURITY_CONTACT: z
      .string()
      .transform((text, context) => {
        const contacts = parseSecurityContacts(text);
        if (contacts === null) context.addIssue("expected e-mail addresses and https:// pages, separated by commas");
        return contacts ?? z.NEVER;
      })
      .default([]),
    AUTH_SECRET: z.string().min(32, "expected at least 32 random characters").optional(),
    SIGNUP: z.enum(["open", "invited", "closed"]).optional(),
    SIGN_IN_MAILS_PER_HOUR: bound.default(500),
    TRIALS: z.enum(["on", "off"]).default("on"),
    AUTH_GOOGLE_ID: z.string().optional(),
    AUTH_GOOGLE_SECRET: z.string().optional(),
    AUTH_GOOGLE_ISSUER: confidentialAddress.optional(),
    AUTH_GITHUB_ID: z.string().optional(),
    AUTH_GITHUB_SECRET: z.string().optional(),
    AUTH_GITHUB_BASE_URL: confidentialAddress.optional(),
    RESEND_API_KEY: z.string().optional(),
    RESEND_BASE_URL: confidentialAddress.optional(),
    MAIL_FROM: z
      .string()
      .regex(/^([^<>"\p{Cc}]+ <[!-;=?A-~]+@[!-;=?A-~]+>|[!-;=?A-~]+@[!-;=?A-~]+)$/u, mailFromForm)
      .optional(),
    STRIPE_SECRET_KEY: z.string().optional(),
    STRIPE_WEBHOOK_SECRET: z.string().optional(),
    STRIPE_PRICE_INDIE: z.string().optional(),
    STRIPE_BASE_URL: confidentialAddress.optional(),
    LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  })
  .refine(({ BASE_URL, COOKIE_DOMAIN: domain }) => !domain || `.${hostOf(BASE_URL)}`.endsWith(`.${domain}`), {
    path: ["COOKIE_DOMAIN"],
    error: "expected the host of BASE_URL or a domain above it",
  })
  .refine((given) => !given.AUTH_GOOGLE_ID === !given.AUTH_GOOGLE_SECRET, {
    path: ["AUTH_GOOGLE_SECRET"],
    error: "expected AUTH_GOOGLE_ID and AUTH_GOOGLE_SECRET, or neither",
  })
  .refine((given) => !given.AUTH_GITHUB_ID === !given.AUTH_GITHUB_SECRET, {
    path: ["AUTH_GITHUB_SECRET"],
    error: "expected AUTH_GITHUB_ID and AUTH_GITHUB_SECRET, or neither",
  })
  .refine(({ RESEND_API_KEY, MAIL_FROM }) => !RESEND_API_KEY || MAIL_FROM, {
    path: ["MAIL_FROM"],
    error: `${mailFromForm}, of a domain that is verified with Resend, since RESEND_API_KEY is set`,
  })
  .superRefine((given, context) => {
    const missing = STRIPE_NAMES.filter((name) => given[name] === undefined);
    if (missing.length === STRIPE_NAMES.length) return;
    for (const name of missing) {
      context.addIssue({ code: "custom", path: [name], message: `${STRIPE_NAMES.join(", ")} are needed together` });
    }
  });

const STRIPE_NAMES = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_INDIE"] as const;

function provider<T>(id: string | undefined, secret: string | undefined, where: T) {
  return id && secret ? { id, secret, ...where } : undefined;
}

/** The names of parameters in addresses of databases that have no effect here. */
function ignoredParameters(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : parseDatabaseAddress(url).ignored)))];
}

/** Whether the service is reached, and listens, on this machine only. */
function isOnlyHere({ BASE_URL, HOST }: { BASE_URL?: string | undefined; HOST: string }): boolean {
  return isLoopbackHost(hostOf(BASE_URL)) && isLoopbackHost(HOST);
}

const isOrigin = (url: string): boolean => {
  if (!URL.canParse(url)) return true;
  const { username, password, pathname } = new URL(url);
  return `${username}${password}` === "" && pathname === "/" && !/[?#]/.test(url);
};

const hostOf = (url: string | undefined): string => (url ? new URL(url).hostname : "localhost");

const launcherSettings = z
  .object({
    ...shared,
    DATABASE_URL: postgresUrl.optional(),
    DATABASE_DIRECT_URL: postgresUrl.optional(),
    DATABASE_OWNER_URL: postgresUrl.optional(),
    DATABASE_TARGET_URL: postgresUrl.optional(),
    ENCRYPTION_KEYS: z.string().optional(),
  })
  .superRefine((given, context) => {
    const other = (["DATABASE_DIRECT_URL", "DATABASE_OWNER_URL"] as const).find((name) => given[name] !== undefined);
    if (other === undefined || given.DATABASE_URL !== undefined) return;
    context.addIssue({ code: "custom", path: ["DATABASE_URL"], message: `${other} needs DATABASE_URL beside it` });
  });

/** The name of every setting, as in `.env.example`. */
export const SETTING_NAMES = [...new Set([...Object.keys(settings.shape), ...Object.keys(launcherSettings.shape)])];

/** The value that a setting has when it is not set; undefined where it depends on others, or there is none. */
export function defaultOf(name: string): unknown {
  return { ...launcherSettings.shape, ...settings.shape }[name as keyof typeof settings.shape]?.safeParse(undefined)
    .data;
}

/** The settings whose values are never shown. Each may also be given as `<name>_FILE`, the path of a file that has the value. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...[
    "ENCRYPTION_KEYS",
    "DATABASE_URL",
    "DATABASE_DIRECT_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_TARGET_URL",
    "METRICS_TOKEN",
    "RESEND_API_KEY",
  ],
  ...["AUTH_SECRET", "AUTH_GOOGLE_SECRET", "AUTH_GITHUB_SECRET"],
  ...["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
]);

/** The values of all secrets that are set, and can be read, so that messages of others can be cleared of them. */
export function secretValues(env: Record<string, string | undefined> = processEnv()): string[] {
  const { given } = readGiven(env, { ...settings.shape, ...launcherSettings.shape });
  return [...SECRET_NAMES].flatMap((name) => given[name] ?? []);
}

type Given = Record<string, string>;

/** Lists and JSON, in which a line break means nothing. */
const MULTILINE = new Set([
  ...["PLANS", "DELIVERY_ALLOW", "DELIVERY_DENY", "TRUSTED_PROXIES", "ADMIN_EMAILS", "SECURITY_CONTACT"],
]);

/** What is set under a name that is no setting, but nearly the name of one that is not set. */
function misspeltSettings(env: Record<string, string | undefined>): { name: string; meant: string }[] {
  const known = SETTING_NAMES.flatMap((name) => (SECRET_NAMES.has(name) ? [name, `${name}_FILE`] : [name]));
  return Object.keys(env)
    .filter((name) => env[name] && !known.includes(name))
    .flatMap((name) => {
      const meant = nearestName(
        name,
        known.filter((one) => !env[one]),
      );
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** What is set, with the content of the secrets' files; `unread` has by name what is wrong with a file. */
function readGiven(
  env: Record<string, string | undefined>,
  shape: object,
): { given: Given; unread: Map<string, string> } {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  // A process reads only the secrets that it needs: the others' files may be closed to it.
  const names = Object.keys(shape).filter((name) => SECRET_NAMES.has(name));
  const { settings: given, problems: unread } = readSecretFiles(Object.fromEntries(set), names);
  for (const name of Object.keys(shape)) {
    const value = given[name] ?? "";
    if (MULTILINE.has(name) || !/\p{Cc}/u.test(value)) continue;
    delete given[name];
    const end = /^\P{Cc}*\r?\n?$/u.test(value)
      ? "ends with a line break or carriage return, as in a file with the line ends of Windows"
      : "has a line break or another control character";
    unread.set(name, `${name}: ${end}`);
  }
  return { given, unread };
}

function problemsOf({ error }: z.ZodSafeParseResult<unknown>, given: Given, unread: Map<string, string>): string[] {
  return (error?.issues ?? [])
    .map(({ path, message }) => ({ name: String(path[0]), message }))
    .filter(({ name }) => !unread.has(name))
    .map(({ name, message }) => problem(name, message, given));
}

function problem(name: string, expected: string, given: Given): string {
  if (!(name in given)) return `${name}: ${expected}; it is not set`;
  return SECRET_NAMES.has(name) ? `${name}: ${expected}` : `${name}: ${expected}; got ${JSON.stringify(given[name])}`;
}
