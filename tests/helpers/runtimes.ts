import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";

const FOLDER = join(import.meta.dirname, "../runtimes");

/** The path of something in tests/runtimes, which has a lock file of its own since it is large. */
export const inRuntimes = (path: string) => join(FOLDER, path);

const isInstalled = existsSync(inRuntimes("node_modules/.package-lock.json"));

/** Tests that need the packages of tests/runtimes. They are skipped, with a line that says so, while those are absent. */
export function describeWithRuntimes(title: string, tests: () => void): void {
  if (!isInstalled) console.warn(`not run: ${title} (npm ci --prefix tests/runtimes)`);
  describe.skipIf(!isInstalled)(title, tests);
}
