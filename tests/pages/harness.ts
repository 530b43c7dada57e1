import type { Browser, Page } from "@playwright/test";
import postgres from "postgres";
import { parseKeyRing } from "#domain/cipher.ts";
import { launchBrowser } from "../helpers/browser.ts";
import { ENCRYPTION_KEYS } from "../helpers/encryption-keys.ts";
import { type Look, openPage } from "../helpers/page-checks.ts";
import { startWebProcess } from "../helpers/web-process.ts";
import { type PageToOpen, pagesToOpen } from "./routes.ts";
import { ADMIN, beat, seedPages } from "./seed.ts";

export type PageHarness = Awaited<ReturnType<typeof startPageHarness>>;

const BEAT_MS = 5_000;

/** The production build on a seeded database, a browser, and the addresses to open. */
export async function startPageHarness(databaseUrl: string) {
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => {} });
  const accounts = await seedPages(sql, parseKeyRing(ENCRYPTION_KEYS));
  await beat(sql);
  const beating = setInterval(() => beat(sql).catch(() => {}), BEAT_MS);
  const web = await startWebProcess({ DATABASE_URL: databaseUrl, ENCRYPTION_KEYS, ADMIN_EMAILS: ADMIN });
  const browser: Browser = await launchBrowser();
  const origin = `http://localhost:${web.port}`;
  const sessions = { ...accounts, nobody: null };
  return {
    ...{ sql, web, origin, browser, accounts },
    pages: pagesToOpen(accounts),
    /** Opens a page as the one who looks at it. `complaints` grow while it is open. */
    async open({ path, as }: Pick<PageToOpen, "path" | "as">, look: Look & { scripts?: boolean }) {
      const { page, complaints }: { page: Page; complaints: string[] } = await openPage(browser, origin, look);
      const session = sessions[as]?.session;
      if (session) await page.context().addCookies([{ name: "sw_session", value: session, url: origin }]);
      const answer = await page.goto(origin + path, { waitUntil: "load" });
      return { page, complaints, answer, close: () => page.context().close() };
    },
    async stop() {
      clearInterval(beating);
      await browser.close();
      await web.stop();
      await sql.end({ timeout: 2 });
    },
  };
}
