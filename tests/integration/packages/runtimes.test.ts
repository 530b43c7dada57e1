import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, type Format } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { generateApiKey } from "#domain/api-key.ts";
import { generateSigningSecret } from "#domain/signing.ts";
import { freePort } from "#scripts/ports.ts";
import { describeWithRuntimes, inRuntimes } from "#tests/helpers/runtimes.ts";
import { createSdkProject, type SdkProject } from "#tests/helpers/sdk-project.ts";
import { startSdkTestServer } from "#tests/helpers/sdk-test-server.ts";

describeWithRuntimes("the packed SDK", () => {
  let project: SdkProject;
  let server: Awaited<ReturnType<typeof startSdkTestServer>>;
  /** `Surroundings` of checks.ts. */
  let surroundings: Record<string, string>;

  beforeAll(async () => {
    const apiKey = generateApiKey("live");
    server = await startSdkTestServer(apiKey);
    surroundings = {
      apiKey,
      origin: server.origin,
      closedOrigin: `http://127.0.0.1:${await freePort()}`,
      secret: generateSigningSecret(),
      otherSecret: generateSigningSecret(),
    };
    project = await createSdkProject("https://stopwatch.example.com");
    for (const file of ["checks.ts", "process.mjs", "worker.mjs"]) {
      await copyFile(inRuntimes(file), join(project.folder, file));
    }
  });
  afterAll(async () => {
    await project?.remove();
    await server?.close();
  });

  /** Runs the checks and expects all of them to be ok. The environment holds nothing, so that no setting of this process helps. */
  async function expectAllOk(program: string, args: string[]): Promise<void> {
    const { stdout } = await promisify(execFile)(program, [...args, JSON.stringify(surroundings)], {
      cwd: project.folder,
      env: { NODE_ENV: "production", HOME: project.folder, DENO_DIR: join(project.folder, ".deno"), NO_COLOR: "1" },
    });
    const findings = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(findings).length).toBeGreaterThan(10);
    expect(Object.entries(findings).filter(([, found]) => found !== "ok")).toEqual([]);
  }

  async function bundle(entry: string, format: Format): Promise<string> {
    const outfile = join(project.folder, `bundle-${format}.js`);
    await build({ entryPoints: [join(project.folder, entry)], outfile, format, bundle: true, globalName: "checks" });
    return outfile;
  }

  it("the SDK works on the Node.js of this process", () => expectAllOk(process.execPath, ["process.mjs"]));

  it("the SDK works on Node.js 22", () => expectAllOk(inRuntimes("node_modules/.bin/node"), ["process.mjs"]));

  it("the SDK works on Bun", () => expectAllOk(inRuntimes("node_modules/.bin/bun"), ["process.mjs"]));

  it("the SDK works on Deno with the permission for the network alone", () =>
    expectAllOk(inRuntimes("node_modules/.bin/deno"), ["run", "--no-prompt", "--allow-net=127.0.0.1", "process.mjs"]));

  it("the SDK works on Cloudflare's workerd", async () =>
    expectAllOk(process.execPath, [inRuntimes("workerd.mjs"), await bundle("worker.mjs", "esm")]));

  it("the SDK works on Vercel's edge runtime", async () =>
    expectAllOk(process.execPath, [inRuntimes("edge-runtime.mjs"), await bundle("checks.ts", "iife")]));
});
