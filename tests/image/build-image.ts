import { execFile, execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { processEnv } from "#config.ts";

export type Image = {
  /** The root file system, as one folder. */
  root: string;
  /** How large the base is, in bytes. */
  baseBytes: number;
  config: { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[] | null; Healthcheck: { Test: string[] } };
  remove(): void;
};

/** Why no image can be built here, or undefined. */
export function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return "only as root";
  const missing = ["buildah", "mmdebstrap", "unshare"].filter((name) => spawnSync(name, ["--version"]).error);
  return missing.length > 0 ? `without ${missing.join(" and ")}: apt-get install ${missing.join(" ")}` : undefined;
}

/**
 * Builds the image from the `Dockerfile` without a daemon and without a registry of images: both bases are a few packages of
 * Debian, and the first has this Node.js with its npm too. Takes minutes.
 */
export async function buildImage(): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), "stopwatch-image-"));
  const buildah = async (...args: string[]) => {
    const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
    return (await run("buildah", [...storage, ...args])).stdout.trim();
  };
  const remove = () => {
    spawnSync("umount", ["--recursive", join(folder, "storage")]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const runBase = join(folder, "run-base");
    const packages = "--include=base-files,coreutils,dash,libc6,libstdc++6";
    await run("mmdebstrap", ["--variant=extract", packages, "trixie", `${runBase}.tar`, DEBIAN]);
    mkdirSync(runBase);
    execFileSync("tar", ["-xf", `${runBase}.tar`, "-C", runBase, "--exclude=./dev/*"]);
    const buildBase = join(folder, "build-base");
    cpSync(runBase, buildBase, { recursive: true, verbatimSymlinks: true });
    addNode(buildBase);
    for (const [name, from] of [
      ["run-base", runBase],
      ["build-base", buildBase],
    ] as const) {
      const container = await buildah("from", "scratch");
      await buildah("add", "--quiet", container, from, "/");
      if (name === "build-base" && CA) await buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${CA}`, container);
      await buildah("commit", "--quiet", "--rm", container, name);
      rmSync(from, { recursive: true });
    }
    const npmrc = join(homedir(), ".npmrc");
    await buildah(
      ...[
        "build",
        "--isolation",
        "chroot",
        "--format",
        "docker",
        "--layers=false",
        "--pull=never",
        "--tag",
        "stopwatch",
      ],
      ...["--build-arg", "BUILD_BASE=localhost/build-base", "--build-arg", "RUN_BASE=localhost/run-base"],
      ...(existsSync(npmrc) ? ["--secret", `id=npmrc,src=${npmrc}`] : []),
      ...(CA ? ["--volume", `${dirname(CA)}:${dirname(CA)}:ro`] : []),
      ".",
    );
    const mount = async (name: string) => buildah("mount", await buildah("from", "--pull=never", name));
    const [root, baseBytes] = [await mount("stopwatch"), bytesOf(await mount("run-base"))];
    return { root, baseBytes, config: JSON.parse(await buildah("inspect", "stopwatch")).Docker.config, remove };
  } catch (error) {
    remove();
    const { stderr, stdout } = error as { stderr?: string; stdout?: string };
    throw new Error(`the image could not be built: ${(error as Error).message}\n${stdout ?? ""}\n${stderr ?? ""}`);
  }
}

const run = promisify(execFile);

/** Without the updates: an archive that is not the newest has lists of them that have expired. */
const DEBIAN = "deb http://deb.debian.org/debian trixie main";

/** Authorities that npm needs to trust here, such as those of a proxy. */
const CA = processEnv().NODE_EXTRA_CA_CERTS;

function addNode(base: string): void {
  const local = join(base, "usr/local");
  mkdirSync(join(local, "bin"), { recursive: true });
  cpSync(process.execPath, join(local, "bin/node"), { dereference: true });
  const program = realpathSync(execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim());
  cpSync(resolve(program, "../.."), join(local, "lib/node_modules/npm"), { recursive: true, dereference: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
}

/** What the files below a folder take, in bytes. */
export function bytesOf(folder: string): number {
  return Number(execFileSync("du", ["--summarize", "--bytes", folder], { encoding: "utf8" }).split("\t")[0]);
}
