// Guards: app/(dashboard)/**, app/(public)/**, app/*, components/**, tests/pages/**, tests/e2e/trees/**, pages/**, docs/*.md, server/docs/**
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";
import { type PageHarness, startPageHarness } from "#tests/pages/harness.ts";
import { routesOfApp } from "#tests/pages/routes.ts";
import { frameTree, mainTree } from "#tests/pages/tree.ts";

// What a screen reader meets on each page. When a page was changed on purpose, write the trees anew, and read the
// difference before it is committed: npx vitest run tests/e2e/accessibility-trees.long.test.ts -u

const FOLDER = "tests/e2e/trees";

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
    const { page, show, close } = await harness.openWindow(WIDE);
    for (const shown of withData().filter((one) => one.route === route)) {
      await show(shown);
      await page.waitForLoadState("networkidle");
      if (shown.as !== "nobody") await untilInteractive(page);
      await page.evaluate(settle);
      // What the documentation says is tested elsewhere, and changes often.
      const tree = await mainTree(page, { isOutline: route.startsWith("/docs") });
      await expect(tree, shown.path).toMatchFileSnapshot(`trees/${shown.name}.txt`);
    }
    await close();
  });

  it.each(FRAMES)("around the page is the committed one: $name", async ({ name, path, as }) => {
    const { page, close } = await harness.open({ path, as }, WIDE);
    await page.waitForLoadState("networkidle");
    if (as !== "nobody") {
      await untilInteractive(page);
      // Next.js adds it, and it is the alert of the tree.
      await page.locator("next-route-announcer").waitFor({ state: "attached" });
    }
    await expect(await frameTree(page)).toMatchFileSnapshot(`trees/${name}.txt`);
    await close();
  });

  it("is committed only for pages that exist", async () => {
    const shown = new Set([...withData(), ...FRAMES].map(({ name }) => `${name}.txt`));
    expect((await readdir(FOLDER)).filter((file) => !shown.has(file))).toEqual([]);
  });
});

/** Resolves once React, where a page has it, has taken over its tables and has seen which of them scroll: until then each does. */
const settle = async (): Promise<void> => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isTaken = (part: Element) => Object.keys(part).some((key) => key.startsWith("__reactFiber"));
  const parts = [...document.querySelectorAll("main section[tabindex='0']")];
  const isStatic = document.querySelector("script[src]") === null;
  for (let frames = 0; !isStatic && frames < 300 && !parts.every(isTaken); frames++) await frame();
  await frame();
  await frame();
};
