import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";

// Runs in a mount namespace of its own: a PostgreSQL on a file system in memory, which disappears with this process.
const [folder = "", size = ""] = process.argv.slice(2);
execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]);
chmodSync(folder, 0o711);
const settings = { shared_buffers: "16MB", max_wal_size: "32MB", min_wal_size: "32MB", wal_recycle: "off" };
const filler = join(folder, "filler");

const commands = {
  start: async () => (await startEmbeddedPostgres(folder, { settings })).url,
  fill() {
    const file = openSync(filler, "w");
    try {
      for (const block = Buffer.alloc(1_048_576); ; ) writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  },
  free: () => rmSync(filler),
};

process.on("message", async (command: keyof typeof commands) => {
  process.send?.((await commands[command]()) ?? "done");
});
process.on("disconnect", () => {
  execFileSync("sh", ["-c", 'kill -QUIT "$(head -n 1 "$0/postgres/postmaster.pid")" || true', folder], {
    stdio: "ignore",
  });
  process.exit();
});
