import type { Browser } from "@playwright/test";
import { generateSessionToken, hashSessionToken } from "#domain/session-token.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import type { TestAccount } from "./accounts.ts";
import { launchBrowser } from "./browser.ts";
import { createDispatchHarness, type DispatchHarness } from "./dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "./encryption-keys.ts";
import { type Look, openPage, WIDE } from "./page-checks.ts";
import { startWebProcess, type WebProcess } from "./web-process.ts";

export type DashboardHarness = Awaited<ReturnType<typeof startDashboardHarness>>;

/**
 * The built web process and a real browser, on a database of its own. `settings` are those of the web process. `reach`
 * returns the address by which it reaches the database, such as that of a proxy. `delivery` are settings of dispatchers.
 */
export async function startDashboardHarness(
  settings: Record<string, string> = {},
  reach: (url: string) => Promise<string> = async (url) => url,
  delivery: Record<string, string> = {},
) {
  const dispatch: DispatchHarness = await createDispatchHarness(delivery);
  const web: WebProcess = await startWebProcess({
    DATABASE_URL: await reach(dispatch.databaseUrl),
    ENCRYPTION_KEYS,
    LOG_LEVEL: "debug",
    ...settings,
  });
  const origin = `http://localhost:${web.port}`;
  const browser: Browser = await launchBrowser();

  return {
    dispatch,
    web,
    origin,
    browser,
    sql: dispatch.sql,
    /** A page as the owner of `account` sees it, and what it complained of. */
    async open(account: Pick<TestAccount, "id">, path: string, look: Look & { scripts?: boolean } = WIDE) {
      const token = generateSessionToken();
      await dispatch.sql`
        INSERT INTO sessions (token_hash, account_id, expires_at)
        VALUES (${hashSessionToken(token)}, ${account.id}, now() + interval '1 day')`;
      const { page, complaints, close } = await openPage(browser, origin, look);
      await page.context().addCookies([{ name: "sw_session", value: token, url: origin }]);
      const answer = await page.goto(origin + path, { waitUntil: "load" });
      return { page, complaints, answer, token, close };
    },
    async stop() {
      await browser.close();
      await web.stop();
      await dispatch.close();
    },
  };
}

/** The same with a proxy between the web process and the database. The proxy ends with the harness. */
export async function startHarnessBehindProxy(): Promise<{ harness: DashboardHarness; proxy: DatabaseProxy }> {
  const started: DatabaseProxy[] = [];
  const harness = await startDashboardHarness({}, async (address) => {
    const url = new URL(address);
    const proxy = await startProxy(Number(url.port));
    started.push(proxy);
    url.port = String(proxy.port);
    return url.href;
  });
  const [proxy] = started;
  if (!proxy) throw new Error("the web process was started without the proxy");
  const stop = async () => {
    proxy.set("pass");
    await harness.stop();
    await proxy.close();
  };
  return { harness: { ...harness, stop }, proxy };
}
