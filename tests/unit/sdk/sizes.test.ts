import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** What a bundler makes of a line of code: bytes, minified and compressed. */
async function sizeOf(contents: string): Promise<number> {
  const resolveDir = new URL("../../../sdk/src/", import.meta.url).pathname;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

it.each([
  ["verifySignature alone", 1_536, 'export { verifySignature } from "./index.ts"'],
  ["./receive", 2_560, 'export * from "./receive.ts"'],
])("a bundle with %s takes %i bytes at most", async (_, bytes, code) => {
  const size = await sizeOf(code);
  expect(size).toBeGreaterThan(500);
  expect(size).toBeLessThanOrEqual(bytes);
});
