import type { Browser } from "@playwright/test";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "./browser.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { ENCRYPTION_KEYS } from "./encryption-keys.ts";
import { startWebProcess, type WebProcess } from "./web-process.ts";

type Made = { web: WebProcess; browser: Browser };

/**
 * Starts a web process on a database of its own and a browser, once for the tests of a file, and ends both when they are
 * over. `fill` may put something into the database before. `take` is called with what was started.
 */
export function withPages(
  { fill }: { fill?: (databaseUrl: string) => Promise<void> },
  take: (made: Made) => void,
): void {
  let database: TestDatabase | undefined;
  let web: WebProcess | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    await fill?.(database.url);
    web = await startWebProcess({
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS,
    });
    browser = await launchBrowser();
    take({ web, browser });
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
    await database?.drop();
  });
}
