import { exec } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "../../scripts/setup-error.ts";

/**
 * Installs the engines that the bench compares with from the lock file of `folder`, unless that lock file is already
 * installed there. Says so first. Throws a SetupError with npm's errors when it fails.
 */
export async function installPeers(folder = import.meta.dirname): Promise<void> {
  const lock = join(folder, "package-lock.json");
  const installed = join(folder, "node_modules/.installed-lock.json");
  const [wanted, present] = await Promise.all([readFile(lock, "utf8"), readFile(installed, "utf8").catch(() => "")]);
  if (wanted === present) return;
  const install = `npm ci --prefix ${relative(process.cwd(), folder)}`;
  console.log(`Installing the engines to compare with (${install}): they are missing, or their lock file has changed.`);
  try {
    await promisify(exec)(install);
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new SetupError(
      `${stderr.trimEnd()}\nThe engines to compare with could not be installed: "${install}" failed. The bench runs without them as "npm run bench -- --engines baseline,stopwatch".`,
    );
  }
  await copyFile(lock, installed);
}
