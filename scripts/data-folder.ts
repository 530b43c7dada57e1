import { chmod, mkdir } from "node:fs/promises";

/**
 * Makes the folder for keys and the embedded database when it is missing, closed to other users. As root others may
 * pass through it, since PostgreSQL runs as another user; its files are closed by their own modes.
 */
export async function makeDataFolder(dataDir: string) {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  const made = await mkdir(dataDir, { recursive: true, mode: 0o755 });
  if (made !== undefined) await chmod(dataDir, mode);
}
