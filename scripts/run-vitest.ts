import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Runs `vitest run` with `options` on this terminal. `settings` are added to the environment. Returns its exit code. */
export async function runVitest(options: readonly string[], settings: Record<string, string> = {}): Promise<number> {
  const vitest = join(createRequire(import.meta.url).resolve("vitest/package.json"), "../vitest.mjs");
  // biome-ignore lint/style/noProcessEnv: the tests are started with the whole of it
  const env = { ...process.env, ...settings };
  const [code] = await once(spawn(process.execPath, [vitest, "run", ...options], { stdio: "inherit", env }), "close");
  return code ?? 1;
}
