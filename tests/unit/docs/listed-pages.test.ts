import { expect, it } from "vitest";
import { PAGES } from "#tests/pages/pages.ts";
import { routesOfApp } from "#tests/pages/routes.ts";

it("tests/pages/pages.ts lists every page of app/, so that pictures, tests and measurements include it", () => {
  expect(routesOfApp().filter((route) => PAGES[route] === undefined)).toEqual([]);
});
