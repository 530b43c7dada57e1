// Guards: cli/package.json, cli/src/*.ts, scripts/packages/**, server/packages/**, app/cli*/**
// Needs: runtimes
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { describeWithRuntimes, inRuntimes } from "#tests/helpers/runtimes.ts";
import { type ServedApi, serveApi } from "../api/served-api.ts";

let served: ServedApi;
let root: string;

beforeAll(async () => {
  served = await serveApi();
  root = await mkdtemp(join(tmpdir(), "stopwatch-install-cli-"));
});
afterAll(async () => {
  await served?.stop();
  if (root) await rm(root, { recursive: true, force: true });
});

let folders = 0;

/** A bare folder of somebody who has a key. No registry can be reached: the command line needs none. */
async function createFolder() {
  const folder = join(root, String(++folders));
  await mkdir(folder);
  const env = {
    NODE_ENV: "development" as const,
    PATH: processEnv().PATH,
    HOME: join(root, "home"),
    NO_COLOR: "1",
    CI: "1",
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_cache: join(root, ".npm"),
    npm_config_audit: "false",
    npm_config_ignore_scripts: "true",
    YARN_NPM_REGISTRY_SERVER: "http://127.0.0.1:9",
    YARN_ENABLE_TELEMETRY: "0",
    YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
    STOPWATCH_API_KEY: served.caller.test,
    STOPWATCH_URL: served.web.origin,
  };
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { cwd: folder, env })).stdout.trim();
  return { folder, run };
}

const BIN = inRuntimes("node_modules/.bin");
const address = () => `${served.web.origin}/cli.tgz`;
const IS_ME = /^account +\S+@\S+ \(acc_\w+\)\nenvironment +test\n/;

describe("the command line that an installation serves, without a registry and without scripts of installation,", () => {
  it("runs by npx in a bare folder, which stays bare", async () => {
    const { folder, run } = await createFolder();
    expect(await run("npx", "--yes", address(), "whoami")).toMatch(IS_ME);
    expect(await readdir(folder)).toEqual([]);
  });

  it("is installed by npm for a user, and for a project", async () => {
    const { folder, run } = await createFolder();
    await run("npm", "install", "--global", "--prefix", join(folder, "own"), address());
    expect(await run(join(folder, "own/bin/stopwatch"), "whoami")).toMatch(IS_ME);
    await writeFile(join(folder, "package.json"), "{}");
    await run("npm", "install", address());
    expect(await run("npx", "stopwatch", "whoami")).toMatch(IS_ME);
  });
});

describeWithRuntimes("the command line that an installation serves", () => {
  it.each([
    ["pnpm", "pnpm", ["add"], ["exec", "stopwatch"]],
    ["Yarn", "yarn", ["add"], ["stopwatch"]],
    ["Bun", "bun", ["add"], ["run", "--silent", "stopwatch"]],
  ])("is installed by %s", async (_, program, add, start) => {
    const { folder, run } = await createFolder();
    await writeFile(join(folder, "package.json"), "{}");
    await writeFile(join(folder, "yarn.lock"), "");
    const named = program === "yarn" ? `stopwatch-cli@${address()}` : address();
    await run(join(BIN, program), ...add, named);
    expect(await run(join(BIN, program), ...start, "whoami")).toMatch(IS_ME);
  });

  it("runs by pnpm in a bare folder", async () => {
    const { run } = await createFolder();
    expect(await run(join(BIN, "pnpm"), "dlx", address(), "whoami")).toMatch(IS_ME);
  });
});
