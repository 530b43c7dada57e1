import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { waitFor } from "../wait-for.ts";

const NAMESPACES = ["--pid", "--mount", "--uts", "--ipc", "--cgroup"];

/** Whether a systemd can be booted beside the machine's own. This needs Linux, root, and systemd 251 or later (for `%d`). */
export const canBootSystemd =
  spawnSync("unshare", [...NAMESPACES, "--fork", "true"]).status === 0 &&
  Number(
    /^systemd (\d+)/.exec(spawnSync("/lib/systemd/systemd", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1],
  ) >= 251;

const BOOT = fileURLToPath(new URL("boot.sh", import.meta.url));

export type Systemd = Awaited<ReturnType<typeof bootSystemd>>;

/**
 * Boots a systemd in namespaces of its own. It shares the network and /tmp with this machine, has none of its units, and keeps
 * what is written to /etc, /var, /opt and /run to itself.
 */
export async function bootSystemd() {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-systemd-"));
  const groups = await makeGroups();
  const inGroups = groups.map((group) => `echo $$ > ${group}/cgroup.procs`).join("; ");
  const start = `${inGroups}; exec setpriv --pdeathsig KILL unshare ${NAMESPACES.join(" ")} --fork --kill-child bash "$0" "$@"`;
  const child = spawn("bash", ["-c", start, BOOT, folder], { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  const firstProcess = async () =>
    (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").catch(() => "")).trim();

  /** Runs a command inside, as root. Resolves with what it wrote; rejects with both when its exit code is not 0. */
  const run = async (command: string, ...args: string[]) => {
    const inside = ["--target", await firstProcess(), "--pid", "--mount", "--uts", "--ipc", "--cgroup"];
    const { stdout, stderr } = await promisify(execFile)("nsenter", [...inside, command, ...args]);
    return `${stdout}${stderr}`;
  };
  const isBooted = () =>
    run("systemctl", "is-active", "dbus.socket").then(
      (state) => state.trim() === "active",
      () => false,
    );
  await waitFor(`systemd has booted; ${complaints}`, isBooted);
  return {
    run,
    systemctl: (...args: string[]) => run("systemctl", "--no-pager", ...args),
    /** The last lines that the units of Stopwatch wrote. */
    log: () => run("bash", "-c", "tail --lines=5 /var/log/stopwatch-*.log"),
    /** The value of a property of a unit. */
    show: async (unit: string, property: string) =>
      (await run("systemctl", "show", "--value", `--property=${property}`, unit)).trim(),
    async stop() {
      const first = Number(await firstProcess());
      if (first > 0) process.kill(first, "SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      for (const group of groups) await removeGroup(group);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Control groups of this test, in each hierarchy that systemd uses. */
async function makeGroups(): Promise<string[]> {
  const roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"];
  const groups: string[] = [];
  for (const root of roots) {
    const isRoot = await readFile(join(root, "cgroup.procs")).then(
      () => true,
      () => false,
    );
    if (isRoot) groups.push(join(root, `stopwatch-test-${process.pid}`));
  }
  for (const group of groups) await mkdir(group, { recursive: true });
  return groups;
}

async function removeGroup(group: string): Promise<void> {
  for (const entry of await readdir(group, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeGroup(join(group, entry.name));
  }
  // The kernel needs a moment after the last process.
  await waitFor("the control group is empty", () =>
    rmdir(group).then(
      () => true,
      () => false,
    ),
  );
}
