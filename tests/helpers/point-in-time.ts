import { execFile } from "node:child_process";
import { chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import type { OwnServer } from "./own-server.ts";
import { waitFor } from "./wait-for.ts";

const run = promisify(execFile);

/**
 * Lets a server archive its WAL, and makes a base backup of it while it runs. `restoreTo` later replaces the server's data by
 * what they were at a restore point (`pg_create_restore_point`), and starts it again at the same address.
 */
export async function makeRestorable(server: OwnServer) {
  const cluster = join(server.folder, "postgres");
  const archive = join(server.folder, "archive");
  const backup = join(server.folder, "backup");
  await mkdir(archive);
  const { uid, gid } = await stat(cluster);
  await chown(archive, uid, gid);
  await ask(server.url, (sql) => sql`ALTER SYSTEM SET archive_mode = on`);
  await ask(server.url, (sql) => sql.unsafe(`ALTER SYSTEM SET archive_command = 'cp %p ${archive}/%f'`));
  await server.stop();
  await server.start();

  const label = await ask(server.url, async (sql) => {
    await sql`SELECT pg_backup_start('test', true)`;
    await run("cp", ["-a", cluster, backup]);
    const [row] = await sql`SELECT labelfile FROM pg_backup_stop(false)`;
    return row?.labelfile as string;
  });
  await rm(join(backup, "postmaster.pid"));
  await writeFile(join(backup, "backup_label"), label);

  return {
    async restoreTo(point: string) {
      await ask(server.url, async (sql) => {
        const [row] = await sql`SELECT pg_walfile_name(pg_switch_wal()) AS file`;
        await waitFor("the WAL is archived", () => stat(join(archive, row?.file)).catch(() => undefined));
      });
      await server.stop();
      await rm(cluster, { recursive: true });
      await run("cp", ["-a", backup, cluster]);
      const settings = `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_name = '${point}'\nrecovery_target_action = promote\n`;
      await writeFile(join(cluster, "postgresql.auto.conf"), settings);
      await writeFile(join(cluster, "recovery.signal"), "");
      await run("chown", ["-R", `${uid}:${gid}`, cluster]);
      await server.start();
      await ask(server.url, (sql) =>
        waitFor("it takes writes", async () => (await sql`SELECT pg_is_in_recovery() AS waits`)[0]?.waits === false),
      );
    },
  };
}

async function ask<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}
