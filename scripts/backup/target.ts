import { mkdir, readdir, readFile, realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { makeDataFolder } from "../data-folder.ts";
import type { PostgresHome } from "../postgres/home.ts";
import { isServerRunning, stopServer } from "../postgres/server.ts";
import { SetupError } from "../setup-error.ts";
import { flush } from "./copy-tree.ts";

/** What a backup says about itself, in its folder. `rows` is missing until it was checked. */
export type About = { takenAt: string; postgres?: string; rows?: number };

/** Where a copy is made: beside its place, to which it is moved when it is complete. */
export type Target = { folder: string; partial: string };

const FILE = "backup.json";

/**
 * Makes `FOLDER.partial` for a copy that will be at `folder`; removes that of a run that was killed. Throws a SetupError when
 * `folder` is there and not empty, lies in one of the folders `outside`, or cannot be written.
 */
export async function makeTarget(
  given: string,
  { outside, home }: { outside: string[]; home: Omit<PostgresHome, "cluster"> },
): Promise<Target> {
  const wanted = resolve(given);
  const parent = await realpath(dirname(wanted)).catch(() => {
    throw new SetupError(`${given} cannot be written: there is no folder ${dirname(wanted)}.`);
  });
  const folder = join(parent, basename(wanted));
  for (const other of outside) {
    const place = await realpath(other).catch(() => resolve(other));
    if (folder === place || folder.startsWith(place + sep))
      throw new SetupError(`${given} lies in ${place}, which is to be copied: choose a folder outside.`);
  }
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new SetupError(`${given} cannot be written (${error.code}): choose another folder.`);
  });
  if (found.length > 0) throw new SetupError(`${given} is not empty: choose a folder that is empty or does not exist.`);
  const partial = `${folder}.partial`;
  await removePartial(partial, home);
  try {
    await mkdir(partial);
    await rm(partial, { recursive: true });
    await makeDataFolder(partial);
    await writeAbout(partial, { takenAt: new Date().toISOString() });
  } catch (error) {
    throw new SetupError(
      `${given} cannot be written (${(error as NodeJS.ErrnoException).code}): choose another folder.`,
    );
  }
  return { folder, partial };
}

/** Moves a complete copy to its place. */
export async function complete({ folder, partial }: Target) {
  await flush(partial);
  await rmdir(folder).catch(() => {});
  await rename(partial, folder);
  await flush(dirname(folder));
}

/** Removes an incomplete copy, and stops the server that a killed run has left in it. */
export async function removePartial(partial: string, home: Omit<PostgresHome, "cluster">) {
  const files = await readdir(partial).catch(() => undefined);
  if (!files) return;
  if (files.length > 0 && !files.includes(FILE))
    throw new SetupError(
      `${partial} is in the way, and is no interrupted copy: move it away, or choose another folder.`,
    );
  const inside = { ...home, cluster: join(partial, "postgres") };
  if (await isServerRunning(inside)) await stopServer(inside);
  await rm(partial, { recursive: true, force: true });
}

export async function writeAbout(folder: string, about: About) {
  await writeFile(join(folder, FILE), `${JSON.stringify(about)}\n`, { mode: 0o644 });
  await flush(join(folder, FILE));
}

/** Throws a SetupError when `folder` is no complete backup. */
export async function readAboutOrThrow(folder: string): Promise<About> {
  const text = await readFile(join(folder, FILE), "utf8").catch(() => undefined);
  const about = text === undefined ? undefined : (JSON.parse(text) as About);
  if (about?.rows === undefined) throw new SetupError(`${folder} is no complete backup of npm run backup.`);
  return about;
}
