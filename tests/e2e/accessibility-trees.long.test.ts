import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import type { Look } from "#tests/helpers/page-checks.ts";
import { type PageHarness, startPageHarness } from "#tests/pages/harness.ts";
import { routesOfApp } from "#tests/pages/routes.ts";
import { frameTree, mainTree } from "#tests/pages/tree.ts";

// What a screen reader meets on each page. When a page was changed on purpose, write the trees anew, and read the
// difference before it is committed: npx vitest run tests/e2e/accessibility-trees.long.test.ts -u

const FOLDER = "tests/e2e/trees";
const LOOK: Look = { theme: "light", width: 1280 };

/** One page in each frame. */
const FRAMES = [
  { name: "frame-dashboard", path: "/account", as: "owner" },
  { name: "frame-admin", path: "/admin/log", as: "admin" },
  { name: "frame-public", path: "/", as: "nobody" },
  { name: "frame-docs", path: "/docs/states", as: "nobody" },
  { name: "frame-narrow", path: "/login", as: "nobody" },
] as const;

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

const withData = () => harness.pages.filter(({ as }) => as !== "newcomer");

describe("the accessibility tree", () => {
  it.each(routesOfApp())("is the committed one: %s", async (route) => {
    for (const shown of withData().filter((one) => one.route === route)) {
      const { page, close } = await harness.open(shown, LOOK);
      await page.waitForLoadState("networkidle");
      // What the documentation says is tested elsewhere, and changes often.
      const tree = await mainTree(page, { isOutline: route.startsWith("/docs") });
      await expect(tree, shown.path).toMatchFileSnapshot(`trees/${shown.name}.txt`);
      await close();
    }
  });

  it.each(FRAMES)("around the page is the committed one: $name", async ({ name, path, as }) => {
    const { page, close } = await harness.open({ path, as }, LOOK);
    await page.waitForLoadState("networkidle");
    await expect(await frameTree(page)).toMatchFileSnapshot(`trees/${name}.txt`);
    await close();
  });

  it("is committed only for pages that exist", async () => {
    const shown = new Set([...withData(), ...FRAMES].map(({ name }) => `${name}.txt`));
    expect((await readdir(FOLDER)).filter((file) => !shown.has(file))).toEqual([]);
  });
});
