import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSdkProject, type SdkProject } from "#tests/helpers/sdk-project.ts";

const ADDRESS = "https://stopwatch.example.com";

let project: SdkProject;
let elsewhere: string;

beforeAll(async () => {
  project = await createSdkProject(ADDRESS);
  elsewhere = await mkdtemp(join(tmpdir(), "stopwatch-bundle-"));
});
afterAll(async () => {
  await project?.remove();
  await rm(elsewhere, { recursive: true, force: true });
});

/** Stores a schedule, and prints its status or the error. */
const PROGRAM = `
import { Stopwatch } from "stopwatch-sdk";
const input = { targetUrl: "http://localhost:1/", fireIn: "24h" };
const made = new Stopwatch().schedules.create(input).then(({ status }) => ({ status }));
made.catch(({ code, message, doc_url }) => ({ code, message, doc_url })).then((it) => console.log(JSON.stringify(it)));
`;

/** Runs a program with STOPWATCH_DEV=1 to its end. */
async function run(folder: string, file: string) {
  const env = { STOPWATCH_DEV: "1", NODE_ENV: "development" as const };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env });
  return { said: JSON.parse(stdout), stderr };
}

async function bundle(format: "esm" | "cjs") {
  const file = format === "esm" ? "bundle.mjs" : "bundle.cjs";
  const stdin = { contents: PROGRAM, resolveDir: project.folder };
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, platform: "node", format, write: false });
  return { file, bytes: outputFiles[0]?.contents ?? new Uint8Array() };
}

it("a program ends though a schedule waits, and says in one line what it used", async () => {
  await writeFile(join(project.folder, "program.mjs"), PROGRAM);
  const { said, stderr } = await run(project.folder, "program.mjs");
  expect(said).toEqual({ status: "scheduled" });
  expect(stderr).toMatch(/^Stopwatch: STOPWATCH_DEV is 1\. [^\n]+\n$/);
});

it.each(["esm", "cjs"] as const)(
  "a bundle (%s) does not contain the fake, and loads it from the package beside it",
  async (format) => {
    const { file, bytes } = await bundle(format);
    // The client has some 20,000 bytes, the fake some 400,000.
    expect(bytes.length).toBeLessThan(30_000);
    await writeFile(join(project.folder, file), bytes);
    expect((await run(project.folder, file)).said).toEqual({ status: "scheduled" });
  },
);

it("a call says what is missing where there is no package beside the bundle", async () => {
  const { file, bytes } = await bundle("esm");
  await writeFile(join(elsewhere, file), bytes);
  expect((await run(elsewhere, file)).said).toEqual({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("STOPWATCH_DEV needs stopwatch-sdk/testing, which cannot be loaded here"),
    doc_url: `${ADDRESS}/docs/local-development`,
  });
});
