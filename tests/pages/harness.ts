import type { Browser } from "@playwright/test";
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

type Shown = Pick<PageToOpen, "path" | "as">;

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

  /**
   * A window that shows pages one after the other, which is less work than a window for each. `show` returns the answer, and
   * keeps of `complaints` those of the page that it shows.
   */
  async function openWindow(look: Look & { scripts?: boolean }) {
    const { page, complaints, close } = await openPage(browser, origin, look);
    const context = page.context();
    const show = async ({ path, as }: Shown) => {
      // The page before ends here: it would ask and complain with the cookies of the next.
      await page.goto("about:blank");
      await context.clearCookies();
      const session = sessions[as]?.session;
      if (session) await context.addCookies([{ name: "sw_session", value: session, url: origin }]);
      complaints.length = 0;
      return page.goto(origin + path, { waitUntil: "load" });
    };
    return { page, complaints, show, close };
  }

  return {
    sql,
    web,
    origin,
    browser,
    accounts,
    pages: pagesToOpen(accounts),
    openWindow,
    /** Opens a page in a window of its own, as the one who looks at it. `complaints` grow while it is open. */
    async open(shown: Shown, look: Look & { scripts?: boolean }) {
      const { page, complaints, show, close } = await openWindow(look);
      return { page, complaints, answer: await show(shown), close };
    },
    async stop() {
      clearInterval(beating);
      await browser.close();
      await web.stop();
      await sql.end({ timeout: 2 });
    },
  };
}
