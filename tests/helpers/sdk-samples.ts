import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { buildPackage } from "#scripts/packages/build-package.ts";
import { SDK_NAME } from "#server/sdk-package.ts";
import * as sdk from "../../sdk/src/index.ts";

/**
 * What the compiler finds wrong with samples, each a module of its own that imports the built SDK by its name: one line for each
 * error, which begins with the name of its sample.
 */
export async function typeProblems(samples: Record<string, string>): Promise<string[]> {
  await buildPackage("sdk");
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-samples-"));
  try {
    for (const [name, code] of Object.entries(samples)) await writeFile(join(folder, `${name}.ts`), code);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, include: ["*.ts"] }));
    const compiler = resolve("node_modules/.bin/tsc");
    return await promisify(execFile)(compiler, ["-p", folder, "--pretty", "false"]).then(
      () => [],
      ({ stdout }: { stdout?: string }) => (stdout ?? "the compiler did not run").trim().split("\n"),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const OPTIONS = {
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  module: "ESNext",
  moduleResolution: "bundler",
  types: ["node"],
  typeRoots: [resolve("node_modules/@types")],
  noEmit: true,
  allowImportingTsExtensions: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  moduleDetection: "force",
  skipLibCheck: true,
  paths: {
    [SDK_NAME]: [resolve("sdk/dist/index.d.ts")],
    [`${SDK_NAME}/*`]: [resolve("sdk/dist/*.d.ts")],
  },
};

/** Runs a sample that imports nothing but the SDK, with a client that has this key and fetch. Nothing is printed. */
export async function runSample(code: string, key: string, fetch: sdk.FetchLike): Promise<void> {
  class Stopwatch extends sdk.Stopwatch {
    constructor() {
      super(key, { baseUrl: "https://stopwatch.example.com", fetch });
    }
  }
  const body = code.replace(/^import \{ Stopwatch \} from "[^"]+";\n/, "");
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await new AsyncFunction("Stopwatch", "console", "process", body)(Stopwatch, { log() {} }, { env: {} });
}
