import { chmod, mkdir } from "node:fs/promises";

/**
 * Creates the data folder for keys and the embedded database, if it is missing, closed to other users. When this
 * process is root, other users may traverse it, because PostgreSQL runs as another user; the modes of its files close
 * them.
 */
export async function makeDataFolder(dataDir: string) {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  const made = await mkdir(dataDir, { recursive: true, mode: 0o755 });
  if (made !== undefined) await chmod(dataDir, mode);
}
