import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { waitFor } from "../wait-for.ts";

const NAMESPACES = ["--pid", "--mount", "--uts", "--ipc", "--cgroup"];

/** Of each hierarchy of control groups that systemd uses. */
const GROUP_ROOTS = ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"].filter((root) =>
  isWritable(join(root, "cgroup.procs")),
);

/** Mounts what boot.sh mounts over /etc, in namespaces of its own. */
const PROBE = `
  folder="$(mktemp --directory)"
  trap 'rm -rf "$folder"' EXIT
  mkdir "$folder/upper" "$folder/work"
  options="lowerdir=/etc,upperdir=$folder/upper,workdir=$folder/work"
  unshare ${NAMESPACES.join(" ")} --fork mount -t overlay overlay -o "$options" /etc`;

/**
 * Whether a systemd can be booted beside the machine's own. This needs Linux, root with writable control groups, D-Bus, and
 * systemd 251 or later (for `%d`).
 */
export const canBootSystemd =
  GROUP_ROOTS.length > 0 &&
  systemdVersion() >= 251 &&
  isWritable("/lib/systemd/system/dbus.socket") &&
  spawnSync("bash", ["-c", PROBE]).status === 0;

function systemdVersion(): number {
  const { stdout } = spawnSync("/lib/systemd/systemd", ["--version"], { encoding: "utf8" });
  return Number(/^systemd (\d+)/.exec(stdout ?? "")?.[1]);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const BOOT = fileURLToPath(new URL("boot.sh", import.meta.url));

export type Systemd = Awaited<ReturnType<typeof bootSystemd>>;

/**
 * Boots a systemd in namespaces of its own. It shares the network and /tmp with this machine, has none of its units, and keeps
 * what is written to /etc, /var, /opt and /run to itself.
 */
export async function bootSystemd() {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-systemd-"));
  const groups = GROUP_ROOTS.map((root) => join(root, `stopwatch-test-${process.pid}`));
  for (const group of groups) await mkdir(group, { recursive: true });
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
