import { posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cliFiles from "#app/cli/[...path]/route.ts";
import * as cliArchive from "#app/cli.tgz/route.ts";
import * as sdkFiles from "#app/sdk/[...path]/route.ts";
import * as sdkArchive from "#app/sdk.tgz/route.ts";
import { buildPackage } from "#scripts/packages/build-package.ts";
import { readPackage } from "#server/packages/read-package.ts";
import { unpack } from "#tests/helpers/sdk-project.ts";
import { type Api, type Method, startApi } from "../api/api.ts";

let api: Api;

beforeAll(async () => {
  await Promise.all([buildPackage("sdk"), buildPackage("cli")]);
  api = await startApi();
});
afterAll(() => api.stop());

async function ask(path: string, { method = "GET" as Method, headers = {} } = {}) {
  const request = new Request(`http://127.0.0.1${path}`, { method, headers });
  const context = { params: Promise.resolve({ path: path.split("/").slice(2) }) };
  const answer = await handlersOf(path)[method](request, context);
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

function handlersOf(path: string) {
  if (path.startsWith("/cli")) return path === "/cli.tgz" ? cliArchive : cliFiles;
  return path === "/sdk.tgz" ? sdkArchive : sdkFiles;
}

const locationOf = async (path: string) => (await ask(path)).headers.get("location") ?? "";

describe.each([
  ["the archive of the SDK", "/sdk.tgz", "application/gzip"],
  ["the module of the SDK", "/sdk/index.js", "text/javascript; charset=utf-8"],
  ["the archive of the command line", "/cli.tgz", "application/gzip"],
])("%s", (_, unversioned, type) => {
  it("may be kept by any cache, without checking it again", async () => {
    const { status, headers } = await ask(await locationOf(unversioned));
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable, no-transform",
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      "content-type": type,
      "x-content-type-options": "nosniff",
    });
    expect(headers.getSetCookie()).toEqual([]);
  });

  it("is 304 for a caller who sends its ETag, and HEAD answers with the headers alone", async () => {
    const path = await locationOf(unversioned);
    const { headers } = await ask(path);
    const etag = headers.get("etag") ?? "";
    const again = await ask(path, { headers: { "if-none-match": `"other", W/${etag}` } });
    expect([again.status, again.bytes.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
    expect((await ask(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    const head = await ask(path, { method: "HEAD" });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers.get("etag")).toBe(etag);
  });

  it("has an address without the id of its contents, which redirects and which no cache keeps", async () => {
    const { status, headers, bytes } = await ask(unversioned);
    expect([status, headers.get("cache-control"), bytes.length]).toEqual([307, "no-store", 0]);
    expect(headers.get("location")).toMatch(
      /^\/(sdk|cli)\/stopwatch-\1-\d+\.\d+\.\d+-b[0-9a-f]{12}(\.tgz|\/index\.js)$/,
    );
  });
});

describe("the archive of the SDK", () => {
  it("is named after the package and the version in it", async () => {
    const path = await locationOf("/sdk.tgz");
    const manifest = JSON.parse((await unpack((await ask(path)).bytes)).get("package.json") ?? "");
    expect(path).toBe(`/sdk/${manifest.name}-${manifest.version}.tgz`);
    expect(manifest).not.toHaveProperty("private");
  });

  it("holds what its manifest exports, with the declarations, the licence and a description", async () => {
    const unpacked = await unpack((await ask(await locationOf("/sdk.tgz"))).bytes);
    const { exports } = JSON.parse(unpacked.get("package.json") ?? "") as {
      exports: Record<string, string | { types: string; default: string }>;
    };
    const named = Object.values(exports).flatMap((target) =>
      typeof target === "string" ? target : [target.types, target.default],
    );
    const paths = named.map((path) => posix.normalize(path));
    expect([...unpacked.keys()]).toEqual(expect.arrayContaining([...paths, "LICENSE", "NOTICE", "README.md"]));
    expect([...unpacked.keys()].filter((path) => !/^(dist\/[\w/-]+(\.d\.ts|\.js)|[\w.]+)$/.test(path))).toEqual([]);
  });

  it("has the licences of the packages that are bundled in its entry for tests", async () => {
    const notice = (await unpack((await ask(await locationOf("/sdk.tgz"))).bytes)).get("NOTICE") ?? "";
    for (const name of ["zod", "ipaddr.js"]) expect(notice).toMatch(new RegExp(`^(.*, )?${name} \\d+\\.`, "m"));
  });

  it("holds the address of the installation, and has another name where that is another", async () => {
    const one = await readPackage("sdk", "https://one.example.com");
    const two = await readPackage("sdk", "https://two.example.com");
    expect((await unpack(one.tarball)).get("dist/index.js")).toContain('"https://one.example.com"');
    expect(
      [...(await unpack(two.tarball)).values()].filter((text) => /STOPWATCH_URL__|one\.example/.test(text)),
    ).toEqual([]);
    expect([one.release === two.release, one.id === two.id]).toEqual([true, false]);
  });

  it("is found by the version of the sources, too", async () => {
    const { release } = await readPackage("sdk", api.config.baseUrl);
    expect(await locationOf(`/sdk/${release}.tgz`)).toBe(await locationOf("/sdk.tgz"));
  });
});

describe("the archive of the command line", () => {
  it("is one package without dependencies and without scripts, whose program is in it", async () => {
    const path = await locationOf("/cli.tgz");
    const unpacked = await unpack((await ask(path)).bytes);
    const manifest = JSON.parse(unpacked.get("package.json") ?? "");
    expect(path).toBe(`/cli/${manifest.name}-${manifest.version}.tgz`);
    expect(Object.keys(manifest).sort()).toEqual(
      ["bin", "description", "engines", "files", "license", "name", "type", "version"].sort(),
    );
    expect(unpacked.get(posix.normalize(manifest.bin.stopwatch))).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect([...unpacked.keys()].filter((file) => !/^(dist\/[\w-]+\.js|[\w.]+)$/.test(file))).toEqual([]);
  });

  it("has the licences of the packages that are bundled in it", async () => {
    const notice = (await unpack((await ask(await locationOf("/cli.tgz"))).bytes)).get("NOTICE") ?? "";
    for (const name of ["commander", "zod", "@modelcontextprotocol/server", "@modelcontextprotocol/core"]) {
      expect(notice).toMatch(new RegExp(`^(.*, )?${name} \\d+\\.`, "m"));
    }
    expect(notice).toMatch(/MIT License[\s\S]*Copyright \(c\) 2011 TJ Holowaychuk/i);
    expect(notice).toContain("Apache License");
  });

  it("holds the address of the installation, and has another name where that is another", async () => {
    const one = await readPackage("cli", "https://one.example.com");
    const two = await readPackage("cli", "https://two.example.com");
    const [first, second] = await Promise.all(
      [one, two].map(async ({ tarball }) => [...(await unpack(tarball)).values()].join("")),
    );
    expect(first).toContain('"https://one.example.com"');
    expect(second).not.toMatch(/STOPWATCH_URL__|one\.example/);
    expect(one.id).not.toBe(two.id);
  });
});

describe("the modules of the SDK", () => {
  it("name declarations that are served beside them, by the addresses that Deno asks for", async () => {
    const { modules } = await readPackage("sdk", api.config.baseUrl);
    const missing: string[] = [];
    for (const [path, content] of modules) {
      const specifiers = content.matchAll(/(?:from |import\(|@ts-self-types=)"(\.[^"]+)"/g);
      for (const [, specifier = ""] of specifiers) {
        const named = posix.join(posix.dirname(path), specifier);
        const isServed = named.endsWith(".d.ts") || named === "on-demand.js";
        if (!modules.has(named) || !isServed) missing.push(`${path}: ${specifier}`);
      }
    }
    expect(missing).toEqual([]);
    expect(modules.get("index.js")).toContain('@ts-self-types="./index.d.ts"');
    expect(modules.get("index.d.ts")).toContain('"./error.d.ts"');
  });
});

describe("an address that nothing is served at", () => {
  it.each([
    "/sdk/stopwatch-sdk-0.0.1.tgz",
    "/sdk/other-0.1.0.tgz",
    "/sdk/stopwatch-sdk-0.1.0-b000000000000.tgz",
    "/sdk/stopwatch-sdk-0.1.0-b000000000000/index.js",
    "/sdk/package.json",
    "/sdk/error.d.ts",
    "/sdk/../package.json",
    "/sdk/__proto__",
    "/sdk/",
  ])("is 404 and says what is served: %s", async (path) => {
    const context = { params: Promise.resolve({ path: path.split("/").slice(2) }) };
    const answer = await sdkFiles.GET(new Request("http://127.0.0.1/"), context);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toMatchObject({
      error: { code: "NOT_FOUND", message: expect.stringContaining(await locationOf("/sdk.tgz")) },
    });
  });

  it("is 405 for methods that change something", async () => {
    for (const path of ["/sdk.tgz", await locationOf("/sdk.tgz")]) {
      const { status, headers } = await ask(path, { method: "POST" });
      expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
  });
});
