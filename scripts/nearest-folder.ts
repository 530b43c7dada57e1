import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The path itself if it exists, otherwise the nearest folder above it that does. */
export async function nearestFolder(path: string): Promise<string> {
  const full = resolve(path);
  const isThere = await stat(full).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
  return isThere || dirname(full) === full ? full : nearestFolder(dirname(full));
}
