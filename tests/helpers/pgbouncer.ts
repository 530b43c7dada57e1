import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getuid } from "node:process";
import { freePort } from "#scripts/ports.ts";
import { waitFor } from "./wait-for.ts";

/** The path of PgBouncer where Debian's package puts it; undefined when it is not installed. */
export const PGBOUNCER = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** The pooler's connections to the server, shared by all its clients. */
export const POOL_SIZE = 5;

export type Pooler = Awaited<ReturnType<typeof startPgBouncer>>;

/**
 * Starts PgBouncer on a loopback port, in front of the server of `databaseUrl`: in transaction mode with five connections
 * to it, unless `settings` say otherwise.
 */
export async function startPgBouncer(databaseUrl: string, settings: Record<string, string | number> = {}) {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-pgbouncer-"));
  await chmod(folder, 0o755);
  await writeFile(join(folder, "users.txt"), `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users.txt")}
${Object.entries({ pool_mode: "transaction", default_pool_size: POOL_SIZE, max_client_conn: 500, ...settings })
  .map(([name, value]) => `${name} = ${value}`)
  .join("\n")}
`,
  );
  const url = new URL(target);
  url.port = String(port);

  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(PGBOUNCER as string, ["--quiet", join(folder, "pgbouncer.ini")], {
      ...(getuid?.() === 0 ? unprivilegedUser() : {}),
      cwd: "/",
      stdio: "ignore",
    });
    await waitFor("the pooler listens", () => isListening(port));
  };
  const kill = async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    child?.once("exit", resolve);
    child?.kill("SIGKILL");
    await promise;
  };
  await start();
  return {
    url: url.href,
    start,
    /** Ends it at once, with every connection through it. */
    kill,
    async stop() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

// PgBouncer refuses to run as root.
function unprivilegedUser() {
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
