import { readFile } from "node:fs/promises";
import { createContext, runInContext } from "node:vm";
import { build, transform } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { buildPackage } from "#scripts/packages/build-package.ts";
import manifest from "../../../sdk/package.json" with { type: "json" };

const modules = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [] : target.default));

beforeAll(() => buildPackage("sdk"));

describe.each(modules)("the module %s of the SDK", (path) => {
  const read = () => readFile(`sdk/${path}`, "utf8");

  it("imports nothing, neither a module of Node.js nor a package, but its own file for when something is wrong", async () => {
    const { metafile } = await build({
      stdin: { contents: await read() },
      bundle: true,
      write: false,
      format: "esm",
      metafile: true,
      logLevel: "silent",
      external: ["*"],
    });
    expect(
      Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ path }) => path !== "./on-demand.js")),
    ).toEqual([]);
    // Without comments, which may speak of them.
    const { code } = await transform(await read(), { minifyWhitespace: true });
    expect(code.replaceAll('import("./on-demand.js")', "")).not.toMatch(/\b(?:require|import)\s*\(|["']node:/);
  });

  it("needs nothing but the language while it is loaded: no fetch, no crypto, no process, no timer", async () => {
    const { code } = await transform(await read(), { format: "iife", globalName: "loaded" });
    const names = runInContext(`"use strict"; ${code}; Object.keys(loaded)`, createContext({}));
    expect(names.length).toBeGreaterThan(0);
  });
});
