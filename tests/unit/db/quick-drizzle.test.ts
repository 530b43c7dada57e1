import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const QUICK = new URL("../../../db/quick-drizzle.ts", import.meta.url).href;

/** What Node.js loads of drizzle-orm, with formats, and for how many of these modules it reads the package.json. */
function load(...imports: string[]): { loaded: string[]; read: number } {
  const program = `
    import { registerHooks } from "node:module";
    const found = { loaded: [], read: 0 };
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith(".") && context.parentURL?.includes("/drizzle-orm/")) found.read++;
        return next(specifier, context);
      },
      load(url, context, next) {
        if (url.includes("/drizzle-orm/")) found.loaded.push(url + " " + context.format);
        return next(url, context);
      },
    });
    for (const name of ${JSON.stringify(imports)}) await import(name);
    await import("#db/orm.ts");
    await import("drizzle-orm/postgres-js/migrator");
    console.log(JSON.stringify(found));`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
}

it("the modules of drizzle-orm that are loaded, and their formats, are those that Node.js finds by itself", () => {
  const [slow, quick] = [load(), load(QUICK)];
  expect(slow.loaded.length).toBeGreaterThan(50);
  expect(quick.loaded).toEqual(slow.loaded);
  expect(slow.read).toBeGreaterThan(50);
  expect(quick.read).toBe(0);
});

it("a module that drizzle-orm requires is resolved by Node.js", () => {
  const program = `
    import { createRequire } from "node:module";
    await import(${JSON.stringify(QUICK)});
    console.log(typeof createRequire(import.meta.resolve("drizzle-orm"))("drizzle-orm").sql);`;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })).toBe(
    "function\n",
  );
});
