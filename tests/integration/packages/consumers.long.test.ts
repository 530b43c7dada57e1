// Guards: sdk/**
// Needs: runtimes
import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pairwise } from "#tests/helpers/pairwise.ts";
import { describeWithRuntimes, inRuntimes } from "#tests/helpers/runtimes.ts";
import { createSdkProject, type SdkProject } from "#tests/helpers/sdk-project.ts";

const ROOT_MODULES = join(import.meta.dirname, "../../../node_modules");

const COMPILERS = [
  ["5.9", inRuntimes("node_modules/typescript-5")],
  ["6", inRuntimes("node_modules/typescript-6")],
  ["7", join(ROOT_MODULES, "typescript")],
] as const;

const BROWSER = { lib: ["es2022", "dom", "dom.iterable"], types: [] };
const PROJECTS = [
  {
    title: "exactOptionalPropertyTypes",
    files: ["consumer.ts"],
    options: { ...BROWSER, exactOptionalPropertyTypes: true },
  },
  {
    title: "no exactOptionalPropertyTypes",
    files: ["consumer.ts"],
    options: { ...BROWSER, exactOptionalPropertyTypes: false },
  },
  {
    title: "and the types of Node.js instead of a browser's",
    files: ["node-consumer.ts"],
    options: { lib: ["es2024"], types: ["node"], exactOptionalPropertyTypes: true },
  },
];

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

  it.each(
    pairwise({ compiler: COMPILERS, moduleResolution: ["node16", "nodenext", "bundler"] as const, project: PROJECTS }),
  )(
    "the SDK compiles with TypeScript $compiler.0, $moduleResolution, $project.title",
    ({ compiler: [, compiler], moduleResolution, project: { files, options } }) =>
      compile(compiler, ["checks.ts", ...files], {
        ...{ moduleResolution, module: moduleResolution === "bundler" ? "esnext" : moduleResolution },
        ...options,
      }),
  );

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
