import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * For the top level of a test file. Each call of what it returns makes an empty folder, and returns its path. They are removed
 * after the tests of that file.
 */
export function emptyFolders(): () => string {
  const made: string[] = [];
  afterAll(() => {
    for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });
  return () => {
    const path = mkdtempSync(join(tmpdir(), "stopwatch-folder-"));
    made.push(path);
    return path;
  };
}
