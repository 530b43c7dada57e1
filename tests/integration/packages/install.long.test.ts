// Guards: sdk/**, server/packages/**
// Needs: runtimes
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { generateApiKey } from "#domain/api-key.ts";
import { readPackage } from "#server/packages/read-package.ts";
import { createTestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { describeWithRuntimes, inRuntimes } from "#tests/helpers/runtimes.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";

const BASE_URL = "https://stopwatch.example.com";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let web: WebProcess;
/** Another process of the same installation, and one of an installation that has another address. */
let same: WebProcess;
let other: WebProcess;
let root: string;

beforeAll(async () => {
  database = await createTestDatabase();
  // It builds what the others start.
  web = await startWeb(BASE_URL);
  [same, other] = await Promise.all([startWeb(BASE_URL), startWeb("https://other.example.com")]);
  root = await mkdtemp(join(tmpdir(), "stopwatch-install-"));
});
afterAll(async () => {
  await Promise.all([web, same, other].map((process) => process?.stop()));
  await database?.drop();
  if (root) await rm(root, { recursive: true, force: true });
});

const startWeb = (baseUrl: string) =>
  startWebProcess({ DATABASE_URL: database.url, ENCRYPTION_KEYS, BASE_URL: baseUrl });

/** What an installation answers, redirects followed. */
async function download({ origin }: WebProcess, path: string) {
  const answer = await fetch(`${origin}${path}`);
  return { address: answer.url, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

let projects = 0;

/** An empty project, and how to run programs in it. No registry can be reached: the SDK needs none. */
async function createProject() {
  const folder = join(root, String(++projects));
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "name": "project", "type": "module" }');
  const env = {
    NODE_ENV: "development" as const,
    PATH: processEnv().PATH,
    HOME: root,
    DENO_DIR: join(root, ".deno"),
    NO_COLOR: "1",
    CI: "1",
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_cache: join(root, ".npm"),
    npm_config_audit: "false",
  };
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { cwd: folder, env })).stdout.trim();
  const read = (path: string) => readFile(join(folder, path), "utf8");
  return { folder, run, read };
}

/** What a program is run with, in a project that has the SDK. */
const BIN = inRuntimes("node_modules/.bin");

/** Prints the default address of the SDK, and the type of an export of its other entry. */
const PROGRAM = `
import { Stopwatch } from "stopwatch-sdk";
import { receive } from "stopwatch-sdk/receive";
console.log(new Stopwatch("${generateApiKey("test")}").baseUrl, typeof receive);
`;

const OUTPUT = `${BASE_URL} function`;

/** Compiled as a developer's code. The expected error proves that the compiler sees the types. */
const TYPED = `
import { Stopwatch } from "stopwatch-sdk";
export const baseUrl: string = new Stopwatch("").baseUrl;
// @ts-expect-error a number
export const number: number = new Stopwatch("").baseUrl;
`;

describe("the SDK that an installation serves", () => {
  it("is installed by npm from its address", async () => {
    const { run, read } = await createProject();
    const { address } = await download(web, "/sdk.tgz");
    await run("npm", "install", address);
    expect(JSON.parse(await read("package.json")).dependencies).toEqual({ "stopwatch-sdk": address });
    expect(await run(process.execPath, "--input-type=module", "--eval", PROGRAM)).toBe(OUTPUT);
  });

  it("is installed by npm from a file that was downloaded, and again from the lock file without the installation", async () => {
    const { folder, run, read } = await createProject();
    const { bytes } = await download(web, "/sdk.tgz");
    await writeFile(join(folder, "sdk.tgz"), bytes);
    await run("npm", "install", "./sdk.tgz");
    expect(await read("package-lock.json")).not.toContain(web.origin);
    await rm(join(folder, "node_modules"), { recursive: true });
    await run("npm", "ci");
    expect(await run(process.execPath, "--input-type=module", "--eval", PROGRAM)).toBe(OUTPUT);
  });

  it("has the same bytes in each process of an installation, and another address where BASE_URL is another", async () => {
    const path = new URL((await download(web, "/sdk.tgz")).address).pathname;
    const [one, two] = [await download(web, path), await download(same, path)];
    expect(two.bytes.equals(one.bytes)).toBe(true);
    expect(two.headers.get("etag")).toBe(one.headers.get("etag"));
    expect((await fetch(`${other.origin}${path}`)).status).toBe(404);
  });
});

describeWithRuntimes("the SDK that an installation serves", () => {
  it.each([
    ["npm", "npm", ["install", "./sdk.tgz"], ["install", "./sdk.tgz"]],
    ["pnpm", join(BIN, "pnpm"), ["add", "./sdk.tgz"], ["update", "stopwatch-sdk"]],
    ["Bun", join(BIN, "bun"), ["add", "./sdk.tgz"], ["add", "./sdk.tgz"]],
  ])("is updated by %s from a file of the same name", async (_, program, first, again) => {
    const { folder, run } = await createProject();
    const update = async (baseUrl: string, args: string[]) => {
      await writeFile(join(folder, "sdk.tgz"), (await readPackage("sdk", baseUrl)).tarball);
      await run(program, ...args);
      return run(process.execPath, "--input-type=module", "--eval", PROGRAM);
    };
    expect(await update(BASE_URL, first)).toBe(OUTPUT);
    expect(await update("https://later.example.com", again)).toBe("https://later.example.com function");
  });

  it("is installed by pnpm from its address", async () => {
    const { run } = await createProject();
    await run(join(BIN, "pnpm"), "add", (await download(web, "/sdk.tgz")).address);
    expect(await run(process.execPath, "--input-type=module", "--eval", PROGRAM)).toBe(OUTPUT);
  });

  it("is installed by Bun from its address", async () => {
    const { folder, run } = await createProject();
    await run(join(BIN, "bun"), "add", (await download(web, "/sdk.tgz")).address);
    await writeFile(join(folder, "program.ts"), PROGRAM);
    expect(await run(join(BIN, "bun"), "program.ts")).toBe(OUTPUT);
  });

  it("is installed by Deno from the addresses of its modules, with their types", async () => {
    const { folder, run, read } = await createProject();
    const imports = {
      "stopwatch-sdk": `${web.origin}/sdk/index.js`,
      "stopwatch-sdk/receive": `${web.origin}/sdk/receive.js`,
    };
    await writeFile(join(folder, "deno.json"), JSON.stringify({ imports }));
    await writeFile(join(folder, "program.ts"), PROGRAM);
    await writeFile(join(folder, "typed.ts"), TYPED);
    const mayImport = `--allow-import=127.0.0.1:${web.port}`;
    await run(join(BIN, "deno"), "install", mayImport, "--entrypoint", "program.ts");
    expect(await run(join(BIN, "deno"), "run", "--no-prompt", "--frozen", mayImport, "program.ts")).toBe(OUTPUT);
    await run(join(BIN, "deno"), "check", mayImport, "program.ts", "typed.ts");
    const { redirects } = JSON.parse(await read("deno.lock"));
    expect(redirects[imports["stopwatch-sdk"]]).toMatch(/\/sdk\/stopwatch-sdk-[\w.-]+\/index\.js$/);
  });
});
