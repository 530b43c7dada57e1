import type { Browser, BrowserContext, Page } from "@playwright/test";
import postgres from "postgres";
import { launchBrowser } from "./browser.ts";
import { createTestDatabase } from "./database.ts";
import { ENCRYPTION_KEYS } from "./encryption-keys.ts";
import { startFakeGitHub } from "./fake-github.ts";
import { startFakeGoogle } from "./fake-google.ts";
import { startFakeResend } from "./fake-resend.ts";
import { mailedLinks } from "./mailed-links.ts";
import { startWebProcess, type WebProcess } from "./web-process.ts";

export type SignInHarness = Awaited<ReturnType<typeof startSignInHarness>>;

/**
 * The built web process with mail and both providers on this machine, and a real browser. `more` are further settings of
 * the web process.
 */
export async function startSignInHarness(more: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 4, onnotice: () => {} });
  const [resend, google, github] = await Promise.all([startFakeResend(), startFakeGoogle(), startFakeGitHub()]);
  const settings = {
    DATABASE_URL: database.url,
    LOG_LEVEL: "debug",
    ENCRYPTION_KEYS,
    RESEND_API_KEY: resend.apiKey,
    RESEND_BASE_URL: resend.baseUrl,
    MAIL_FROM: "Stopwatch <hello@stopwatch.example>",
    AUTH_GOOGLE_ID: google.id,
    AUTH_GOOGLE_SECRET: google.secret,
    AUTH_GOOGLE_ISSUER: google.issuer,
    AUTH_GITHUB_ID: github.id,
    AUTH_GITHUB_SECRET: github.secret,
    AUTH_GITHUB_BASE_URL: github.url,
    ...more,
  };
  const web = await startWebProcess(settings);
  const browser = await launchBrowser();
  const origin = `http://localhost:${web.port}`;
  google.register(`${origin}/v1/auth/oauth/google/callback`);
  github.redirectUri = `${origin}/v1/auth/oauth/github/callback`;
  const others: WebProcess[] = [];

  return {
    database,
    sql,
    resend,
    google,
    github,
    settings,
    web,
    browser,
    origin,
    /** The magic links that were mailed to an address, the newest last. */
    linksTo: (email: string) => mailedLinks(resend.accepted, email),
    /** A page in a new browser without cookies. */
    newPage: (options?: Parameters<Browser["newContext"]>[0]): Promise<Page> =>
      browser.newContext({ baseURL: origin, ...options }).then((context: BrowserContext) => context.newPage()),
    /** Another web process on the same database. */
    async anotherWeb(more: Record<string, string>): Promise<WebProcess> {
      const other = await startWebProcess({ ...settings, ...more });
      others.push(other);
      return other;
    },
    async stop() {
      await browser.close();
      await Promise.all([web, ...others].map((one) => one.stop()));
      await Promise.all([resend.close(), google.stop(), github.stop()]);
      await sql.end();
      await database.drop();
    },
  };
}
