// Guards: sdk/**
// Needs: runtimes
import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithRuntimes, inRuntimes } from "#tests/helpers/runtimes.ts";
import { createSdkProject, type SdkProject } from "#tests/helpers/sdk-project.ts";

const ROOT_MODULES = join(import.meta.dirname, "../../../node_modules");

const COMPILERS = [
  ["5.9", inRuntimes("node_modules/typescript-5")],
  ["6", inRuntimes("node_modules/typescript-6")],
  ["7", join(ROOT_MODULES, "typescript")],
] as const;

const MODULES = { node16: "node16", nodenext: "nodenext", bundler: "esnext" };

describeWithRuntimes("the packed SDK, for a developer's project", () => {
  let project: SdkProject;

  beforeAll(async () => {
    project = await createSdkProject("https://stopwatch.example.com");
    for (const file of ["checks.ts", "consumer.ts", "node-consumer.ts"]) {
      await copyFile(inRuntimes(file), join(project.folder, file));
    }
    await mkdir(join(project.folder, "node_modules/@types"));
    for (const name of ["@types/node", "undici-types"]) {
      await symlink(join(ROOT_MODULES, name), join(project.folder, "node_modules", name));
    }
  });
  afterAll(() => project?.remove());

  /** Runs a program of Node.js, and fails with its output when it does not exit with 0. */
  async function expectContent(program: string, args: string[]): Promise<void> {
    const run = promisify(execFile)(process.execPath, [program, ...args], { cwd: project.folder });
    const complaints = await run.then(
      () => "",
      (error) => `${error.stdout}${error.stderr}` || String(error),
    );
    expect(complaints).toBe("");
  }

  async function compile(compiler: string, files: string[], options: Record<string, unknown>): Promise<void> {
    const strict = { strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false, noEmit: true };
    const compilerOptions = { target: "es2022", ...strict, ...options };
    await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    await expectContent(join(compiler, "bin/tsc"), ["-p", "."]);
  }

  for (const [version, compiler] of COMPILERS) {
    for (const [moduleResolution, module] of Object.entries(MODULES)) {
      const resolution = { module, moduleResolution };
      it.each([true, false])(
        `the SDK compiles with TypeScript ${version}, ${moduleResolution}, exactOptionalPropertyTypes %s`,
        (exactOptionalPropertyTypes) =>
          compile(compiler, ["checks.ts", "consumer.ts"], {
            ...resolution,
            exactOptionalPropertyTypes,
            lib: ["es2022", "dom", "dom.iterable"],
            types: [],
          }),
      );

      it(`the SDK compiles with TypeScript ${version}, ${moduleResolution}, and the types of Node.js instead of a browser's`, () =>
        compile(compiler, ["checks.ts", "node-consumer.ts"], {
          ...resolution,
          exactOptionalPropertyTypes: true,
          lib: ["es2024"],
          types: ["node"],
        }));
    }
  }

  it("the SDK compiles with moduleResolution node10, which knows no exports", () =>
    compile(COMPILERS[0][1], ["consumer.ts"], {
      module: "commonjs",
      moduleResolution: "node10",
      esModuleInterop: true,
      exactOptionalPropertyTypes: true,
      lib: ["es2022", "dom", "dom.iterable"],
      types: [],
    }));

  it("publint finds nothing wrong with the package of the SDK", () =>
    expectContent(inRuntimes("node_modules/publint/src/cli.js"), [project.tarball, "--strict"]));

  it("attw finds that the SDK's types resolve for every kind of import", () =>
    expectContent(inRuntimes("node_modules/@arethetypeswrong/cli/dist/index.js"), [
      project.tarball,
      ...["--profile", "esm-only"],
    ]));
});
