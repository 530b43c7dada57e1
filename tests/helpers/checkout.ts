import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** What is in the working copy, without what git ignores, in a folder of its own. */
export async function makeCheckout(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-checkout-"));
  const path = join(folder, "checkout");
  const copy = `mkdir ${path} && git ls-files -z --cached --others --exclude-standard |
    tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory=${path}`;
  await promisify(execFile)("bash", ["-c", copy], { cwd: PROJECT });
  return { path, remove: () => rm(folder, { recursive: true }) };
}

/** `text` with each of `places` put where it names another one. Throws an Error when it does not name it. */
export function put(text: string, places: [string, string][]): string {
  return places.reduce((changed, [named, place]) => {
    if (!changed.includes(named)) throw new Error(`the step does not name ${named}: ${changed}`);
    return changed.replace(named, () => place);
  }, text);
}
