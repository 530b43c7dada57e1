import { exec } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "../setup-error.ts";

/**
 * Installs the packages of `folder`, called `what`, from its lock file, unless that lock file is already installed there.
 * Says so first. Throws a SetupError with npm's errors, and `advice`, when it fails.
 */
export async function installPackage(folder: string, what: string, advice = ""): Promise<void> {
  const lock = join(folder, "package-lock.json");
  const installed = join(folder, "node_modules/.installed-lock.json");
  const [wanted, present] = await Promise.all([readFile(lock, "utf8"), readFile(installed, "utf8").catch(() => "")]);
  if (wanted === present) return;
  const install = `npm ci --prefix ${relative(process.cwd(), folder)}`;
  console.log(`Installing ${what} (${install}): they are missing, or their lock file has changed.`);
  try {
    await promisify(exec)(install);
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new SetupError(
      `${stderr.trimEnd()}\nCould not install ${what}: "${install}" failed.${advice && ` ${advice}`}`,
    );
  }
  await copyFile(lock, installed);
}
