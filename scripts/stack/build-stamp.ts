import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";

/** What the web part is built from. Another program beside these, such as one of an operator's, changes nothing. */
const SOURCES = [
  ...["config.ts", "instrumentation.ts", "next.config.ts", "postcss.config.mjs", "proxy.ts", "secret-files.ts"],
  ...["app", "billing", "components", "contract", "db", "domain", "mail", "pages", "public", "server"],
  ...["package.json", "package-lock.json", "scripts/packages", "patches"],
  ...["sdk/src", "sdk/package.json", "sdk/tsconfig.json"],
  ...["cli/src", "cli/package.json"],
];

// Next's own BUILD_ID says nothing about the sources.
const STAMP = ".next/built-from";
const AT_ONCE = 64;
const MADE = [".next/BUILD_ID", ".next/static", "sdk/dist", "cli/dist"];

export type BuildState = "current" | "outdated" | "missing";

/**
 * The state of the production build in this folder: "current" when it was made from sources with the content of those here,
 * whatever their times; "outdated" when from others; "missing" when there is none that `npm run build` finished.
 */
export async function findBuild(): Promise<BuildState> {
  const stamp = await readFile(STAMP, "utf8").catch(() => "");
  const made = await Promise.all(MADE.map((path) => stat(path).catch(() => undefined)));
  if (stamp === "" || made.includes(undefined)) return "missing";
  return stamp === (await hashSources()) ? "current" : "outdated";
}

/** The SHA-256 of the paths and the contents of all sources, in hexadecimal digits. */
export async function hashSources(): Promise<string> {
  const files = (await Promise.all(SOURCES.map(filesIn))).flat().sort();
  const hashes: string[] = [];
  // In groups, since a process may have a limit of 1,024 open files.
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const group = files.slice(at, at + AT_ONCE).map(async (file) => `${hashOf(await readFile(file))} ${file}\n`);
    hashes.push(...(await Promise.all(group)));
  }
  return hashOf(hashes.join(""));
}

/** Notes that the build was made from the sources with this hash. It is taken before the build: a file may be edited meanwhile. */
export async function stampBuild(hash: string): Promise<void> {
  await writeFile(STAMP, hash);
}

async function filesIn(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found ? [path] : [];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/"));
}

const hashOf = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
