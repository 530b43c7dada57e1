import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "#db/migrate.ts";

/** Whether a small disk can be made. This needs Linux and root. */
export const canMakeSmallDisk = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

/** A migrated PostgreSQL on a disk of `size` (such as "160m"), which can be filled and freed again. */
export async function startSmallDiskServer(size: string) {
  const folder = await mkdtemp(join(tmpdir(), `stopwatch-test-${process.pid}-`));
  await chmod(folder, 0o711);
  const program = fileURLToPath(new URL("small-disk-process.ts", import.meta.url));
  const child = spawn("unshare", ["-m", process.execPath, program, folder, size], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const command = async (name: "start" | "fill" | "free"): Promise<string> => {
    child.send(name);
    const [answer] = await once(child, "message");
    return answer;
  };
  const url = await command("start");
  await migrate(url);
  return {
    url,
    fill: () => command("fill"),
    free: () => command("free"),
    start: () => command("start"),
    async remove() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
