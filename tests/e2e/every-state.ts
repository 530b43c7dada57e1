import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import {
  besides,
  brokenReferences,
  expectSound,
  type Look,
  sidewaysOverflow,
  smallTargets,
} from "#tests/helpers/page-checks.ts";
import { type PageHarness, startPageHarness } from "#tests/pages/harness.ts";

const PHONE: Look = { theme: "dark", width: 320 };

/** A route has up to some forty states, and a busy machine takes ten seconds for one. What hangs ends sooner by a limit of its own. */
const ROUTE_MS = 480_000;

/** Opens every state of each page of these routes, on a phone. */
export function testEveryState(routes: readonly string[]): void {
  let database: TestDatabase;
  let harness: PageHarness;

  beforeAll(async () => {
    database = await createTestDatabase();
    harness = await startPageHarness(database.url);
  });
  afterAll(async () => {
    await harness?.stop();
    await database?.drop();
  });

  describe.each(routes)("%s", (route) => {
    it.each([true, false])(
      "in every state has a title and a heading, passes axe, names only elements that it has, fits, is large enough to press, and logs no complaint, with scripts %s",
      async (scripts) => {
        const pages = harness.pages.filter((one) => one.route === route);
        expect(pages.length).toBeGreaterThan(0);
        const { page, complaints, show, close } = await harness.openWindow({ ...PHONE, scripts });
        for (const shown of pages) {
          const answer = await show(shown);
          const isMissing = shown.name.endsWith("missing");
          const of = `${shown.name} (${shown.path})`;
          expect(answer?.status(), of).toBe(isMissing ? 404 : 200);
          expect(await page.title(), of).toMatch(/\S · Stopwatch$/);
          expect(await page.getByRole("heading", { level: 1 }).count(), of).toBe(1);
          expect(await brokenReferences(page), of).toEqual([]);
          const others = isMissing ? besides(404, complaints) : complaints;
          if (scripts) await expectSound(page, others, { of });
          else {
            // axe waits for timers, which a page without scripts does not have.
            expect(await sidewaysOverflow(page), of).toBeLessThanOrEqual(0);
            expect(await smallTargets(page), of).toEqual([]);
            expect(others, of).toEqual([]);
          }
        }
        await close();
      },
      ROUTE_MS,
    );
  });
}
