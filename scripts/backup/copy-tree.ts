import { chmod, chown, copyFile, mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

type Owner = { uid: number; gid: number };

export type CopyOptions = {
  /** The owner of the copies, if that is not the current user. */
  owner: Owner | undefined;
  /** Whether a file or folder, by its path below `from`, is left out. */
  isLeftOut?: (path: string) => boolean;
  /** Gets the number of bytes that were copied. */
  onCopied?: (bytes: number) => void;
  /** Whether the copies are to be on disk before it returns. */
  durable?: boolean;
  signal: AbortSignal;
};

/** Copies a folder of files and folders, with their modes. Files that vanish meanwhile are left out. */
export async function copyTree(from: string, to: string, options: CopyOptions, below = ""): Promise<void> {
  const { owner, isLeftOut = () => false, signal, durable } = options;
  await mkdir(join(to, below), { recursive: true });
  for (const entry of await readdir(join(from, below), { withFileTypes: true }).catch(unlessGone)) {
    signal.throwIfAborted();
    const path = join(below, entry.name);
    if (isLeftOut(path)) continue;
    if (entry.isDirectory()) await copyTree(from, to, options, path);
    else if (entry.isFile()) await copyOne(from, to, path, options);
    else throw new Error(`${join(from, path)} is neither a file nor a folder, and cannot be copied.`);
  }
  const { mode } = await stat(join(from, below));
  await chmod(join(to, below), mode & 0o7777);
  if (owner) await chown(join(to, below), owner.uid, owner.gid);
  if (durable) await flush(join(to, below));
}

/** Copies one file. */
export async function copyOne(
  from: string,
  to: string,
  path: string,
  { owner, onCopied, durable }: CopyOptions,
): Promise<void> {
  const copy = join(to, path);
  const copied = await copyFile(join(from, path), copy).then(
    () => true,
    (error) => unlessGone(error).length > 0,
  );
  if (!copied) return;
  if (owner) await chown(copy, owner.uid, owner.gid);
  if (durable) await flush(copy);
  onCopied?.((await stat(copy)).size);
}

/** Waits until a file, or the names in a folder, are on disk. */
export async function flush(path: string) {
  // Windows does not open folders.
  const file = await open(path, "r").catch(() => undefined);
  await file?.sync().catch(() => {});
  await file?.close();
}

function unlessGone(error: NodeJS.ErrnoException): never[] {
  if (error.code !== "ENOENT") throw error;
  return [];
}
