import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildPackage } from "#scripts/packages/build-package.ts";

const BUDGETS = [
  // 6.25 KiB: calls by key took a quarter.
  [".", 6_400, 'export * from "./index.js"'],
  ["verifySignature alone", 1_536, 'export { verifySignature } from "./index.js"'],
  ["./receive", 2_560, 'export * from "./receive.js"'],
] as const;

/** The clients of others, on 25 November 2026, bundled in the same way (`export { Client } from "@upstash/qstash"`). */
const OTHERS = {
  "@upstash/qstash 2.12.0": 11_543,
  "svix 1.99.1": 28_456,
  "stripe 23.1.0": 32_723,
  "resend 6.38.0": 33_323,
  "openai 6.49.0": 35_825,
};

const sizes: Record<string, number> = {};

beforeAll(() => buildPackage("sdk"));
afterAll(() => {
  const lines = Object.entries({ ...sizes, ...OTHERS }).map(([what, bytes]) => `${String(bytes).padStart(6)} ${what}`);
  console.info(`bytes, minified and compressed:\n${lines.join("\n")}`);
});

/**
 * What a bundler makes of a line of code that imports the built SDK: bytes, minified and compressed, of what is loaded at
 * first. What is loaded only when something is wrong is a chunk of its own.
 */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: "sdk/dist" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    splitting: true,
    outdir: "sdk",
  });
  const first = outputFiles.find(({ path }) => path.endsWith("stdin.js"));
  return gzipSync(first?.contents ?? "", { level: 9 }).length;
}

it.each(BUDGETS)("a bundle with %s takes %i bytes at most", async (what, bytes, code) => {
  const size = await sizeOf(code);
  sizes[what] = size;
  expect(size).toBeGreaterThan(500);
  expect(size).toBeLessThanOrEqual(bytes);
});
