import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The registry's data on one version of a package. */
export type Published = { integrity?: string; license?: string; os?: string[]; cpu?: string[]; libc?: string[] };

/**
 * Asks the registry that npm is set to. Returns undefined when it does not have this version. Throws when it cannot be
 * asked.
 */
export async function findPublished(name: string, version: string): Promise<Published | undefined> {
  const fields = ["dist.integrity", "license", "os", "cpu", "libc"];
  const args = ["view", `${name}@${version}`, ...fields, "--json"];
  try {
    // On Windows npm is a script that only a shell can run.
    const { stdout } = await promisify(execFile)("npm", args, { shell: process.platform === "win32" });
    if (!stdout.trim()) return undefined;
    const found = JSON.parse(stdout) as Record<string, string | string[]>;
    return {
      integrity: found["dist.integrity"] as string,
      ...(found.license && { license: found.license as string }),
      ...(found.os && { os: [found.os].flat() }),
      ...(found.cpu && { cpu: [found.cpu].flat() }),
      ...(found.libc && { libc: [found.libc].flat() }),
    };
  } catch (error) {
    if (/E404|ETARGET|No match found/.test(String((error as { stdout?: string }).stdout))) return undefined;
    throw error;
  }
}
