import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
  chmodSync(folder, 0o755);
  for (const name of ["app/docs", ".next/static", "sdk/dist", "cli/dist", "node_modules"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["app/page.tsx", "app/docs/page.tsx", "config.ts", ".next/BUILD_ID"]) write(name, name);
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Runs this code, which has what the module exports, in the folder, not as root. */
function run(module: string, code: string) {
  const url = new URL(`../../../scripts/stack/${module}`, import.meta.url).href;
  const isRoot = process.getuid?.() === 0;
  return spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `const made = await import(${JSON.stringify(url)}); ${code}`],
    { cwd: folder, encoding: "utf8", ...(isRoot && { uid: 65_534, gid: 65_534 }) },
  );
}

const state = () => run("build-stamp.ts", "console.log(await made.findBuild())").stdout.trim();

function stamp() {
  chmodSync(join(folder, ".next"), 0o777);
  const { stderr } = run("build-stamp.ts", "await made.stampBuild(await made.hashSources())");
  expect(stderr).toBe("");
}

const buildHere = () =>
  run("build.ts", "await made.buildWhenNeeded({ onLog: console.log }).catch((error) => console.error(error.message))");

it("a build is current as long as the content of its sources is, whatever their times", () => {
  expect(state()).toBe("missing");
  stamp();
  expect(state()).toBe("current");
  utimesSync(join(folder, "app/page.tsx"), new Date("2100-01-01"), new Date("2100-01-01"));
  cpSync(folder, `${folder}-copy`, { recursive: true });
  rmSync(folder, { recursive: true });
  cpSync(`${folder}-copy`, folder, { recursive: true });
  rmSync(`${folder}-copy`, { recursive: true });
  expect(state(), "copied").toBe("current");

  write("app/page.tsx", "other");
  utimesSync(join(folder, "app/page.tsx"), new Date(0), new Date(0));
  expect(state(), "older, with another content").toBe("outdated");
  write("app/page.tsx", "app/page.tsx");
  expect(state(), "as it was").toBe("current");
  write("proxy.ts", "");
  expect(state(), "one more").toBe("outdated");
  rmSync(join(folder, "proxy.ts"));
  rmSync(join(folder, "app/docs/page.tsx"));
  expect(state(), "one less").toBe("outdated");
});

it("a program beside package.json that is none of Stopwatch's does not make the build outdated, and each of its own does", () => {
  stamp();
  write("backup-to-bucket.mjs", "");
  expect(state()).toBe("current");
  const own = readdirSync(".").filter((name) => /\.m?ts$|\.mjs$/.test(name) && !name.endsWith(".d.ts"));
  const outdating = own.filter((name) => {
    write(name, "other");
    const found = state();
    rmSync(join(folder, name));
    write("config.ts", "config.ts");
    return found === "outdated";
  });
  expect(own.filter((name) => !outdating.includes(name))).toEqual(["drizzle.config.ts", "vitest.config.ts"]);
});

it("nothing is built under a process that serves the build of this folder", () => {
  stamp();
  write("config.ts", "other");
  mkdirSync(join(folder, "node_modules/.cache/stopwatch-served"), { recursive: true });
  write("node_modules/.cache/stopwatch-served/999999999", "");
  for (const path of ["", "node_modules", "node_modules/.cache", "node_modules/.cache/stopwatch-served", "sdk", "cli"])
    chmodSync(join(folder, path), 0o777);
  const served = run(
    "served.ts",
    `await made.noteServing();
     const build = await import(${JSON.stringify(new URL("../../../scripts/stack/build.ts", import.meta.url).href)});
     await build.buildWhenNeeded({ onLog: console.log }).catch((error) => console.error(error.message));`,
  );
  expect([served.stdout, served.stderr]).toEqual([
    "",
    expect.stringMatching(
      /^The web part was built from other sources, and process \d+ serves that build from this folder\./,
    ),
  ]);
});

it("a folder that cannot be written is not built in: the command says so, and starts a build that is current", () => {
  chmodSync(folder, 0o555);
  expect(buildHere().stderr.trim()).toBe(
    `The web part is not built, and it cannot be built here: ${folder} cannot be written (EACCES). Run "npm run build" where it can be written, and start that.`,
  );
  stamp();
  expect(buildHere()).toMatchObject({ stdout: "", stderr: "" });
  write("config.ts", "other");
  expect(buildHere().stderr).toContain("The web part was built from other sources, and it cannot be built here");
  expect(() => statSync(join(folder, "node_modules/.cache"))).toThrow("ENOENT");
});
