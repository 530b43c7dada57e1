import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Image } from "./build-image.ts";

export type Container = {
  /** Its process 1, seen from here. */
  child: ChildProcess;
  lines: string[];
  exited: Promise<number | null>;
  /** Sends a signal to its process 1. */
  signal(name: NodeJS.Signals): void;
};

/** A folder that containers have at /data, and another with their secrets. */
export function makeVolumes() {
  const data = mkdtempSync(join(tmpdir(), "stopwatch-data-"));
  chownSync(data, 1000, 1000);
  const secrets = mkdtempSync(join(tmpdir(), "stopwatch-secrets-"));
  chmodSync(secrets, 0o755);
  return {
    data,
    secrets,
    writeSecret: (name: string, text: string) => writeFileSync(join(secrets, name), `${text}\n`, { mode: 0o644 }),
    remove() {
      for (const folder of [data, secrets]) rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Runs the image as Docker does with `--read-only --volume data:/data --network host`: what its configuration says is process 1
 * of a process namespace, as its user, and the root file system cannot be written. `volumes` undefined leaves /data read-only.
 */
export function runContainer(
  image: Image,
  args: string[],
  env: Record<string, string>,
  volumes: { data?: string; secrets: string },
): Container {
  for (const folder of ["proc", "dev", "run/secrets"]) mkdirSync(join(image.root, folder), { recursive: true });
  writeFileSync(join(image.root, "etc/hosts"), "");
  const steps = [
    'mount --bind "$ROOT" "$ROOT"',
    'mount --bind /dev "$ROOT/dev"',
    'mount --bind /etc/hosts "$ROOT/etc/hosts"',
    'mount --bind "$SECRETS" "$ROOT/run/secrets"',
    ...(volumes.data === undefined ? [] : ['mount --bind "$DATA" "$ROOT/data"']),
    'mount -o remount,bind,ro "$ROOT"',
    'mount -t proc proc "$ROOT/proc"',
    'exec env --ignore-environment --chdir / "$@"',
  ];
  const settings = [...image.config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const command = [...image.config.Entrypoint, ...(args.length > 0 ? args : (image.config.Cmd ?? []))];
  const chroot = ["/usr/sbin/chroot", `--userspec=${image.config.User}`, "--groups=", image.root];
  const child = spawn(
    "unshare",
    [
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      "-ec",
      steps.join("\n"),
      "sh",
      ...settings,
      ...chroot,
      ...command,
    ],
    {
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        ROOT: image.root,
        SECRETS: volumes.secrets,
        DATA: volumes.data,
        NODE_ENV: "test",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", (line) => lines.push(line));
  return {
    child,
    lines,
    exited: new Promise((resolve) => child.once("close", (code) => resolve(code))),
    signal: (name) => process.kill(firstProcess(child), name),
  };
}

/** unshare waits for the only process that it started, which is process 1 in its namespace. */
function firstProcess({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}
