import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import {
  accessibilityProblems,
  besides,
  brokenReferences,
  type Look,
  sidewaysOverflow,
  smallTargets,
} from "#tests/helpers/page-checks.ts";
import { type PageHarness, startPageHarness } from "#tests/pages/harness.ts";
import { routesOfApp } from "#tests/pages/routes.ts";

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

/** Both themes, the widest and the narrowest window, and a browser without scripts. */
const LOOKS: readonly (Look & { scripts: boolean })[] = [
  { theme: "light", width: 1280, scripts: true },
  { theme: "dark", width: 1280, scripts: true },
  { theme: "light", width: 320, scripts: true },
  { theme: "dark", width: 320, scripts: false },
];

describe.each(routesOfApp())("%s", (route) => {
  it.each(LOOKS)(
    "in every state has a title and a heading, passes axe, names only elements that it has, fits, is large enough to press, and logs no complaint: $theme, $width px, scripts: $scripts",
    async (look) => {
      const pages = harness.pages.filter((one) => one.route === route);
      expect(pages.length).toBeGreaterThan(0);
      for (const shown of pages) {
        const { page, complaints, answer, close } = await harness.open(shown, look);
        const isMissing = shown.name.endsWith("missing");
        const of = `${shown.name} (${shown.path})`;
        expect(answer?.status(), of).toBe(isMissing ? 404 : 200);
        expect(await page.title(), of).toMatch(/\S · Stopwatch$/);
        expect(await page.getByRole("heading", { level: 1 }).count(), of).toBe(1);
        expect(await sidewaysOverflow(page), of).toBeLessThanOrEqual(0);
        expect(await smallTargets(page), of).toEqual([]);
        expect(await brokenReferences(page), of).toEqual([]);
        // axe waits for timers, which a page without scripts does not have.
        if (look.scripts) expect(await accessibilityProblems(page), of).toEqual([]);
        expect(isMissing ? besides(404, complaints) : complaints, of).toEqual([]);
        await close();
      }
    },
  );
});
