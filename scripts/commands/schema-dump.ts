import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dumpFunctions, dumpSchema, FUNCTIONS_FILE, SCHEMA_FILE } from "#db/dump-schema.ts";
import { migrate } from "#db/migrate.ts";
import { command } from "../command.ts";
import { onDatabase } from "../on-database.ts";
import { startEmbeddedPostgres } from "../postgres/embedded.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run schema:dump

Writes db/schema.sql, the tables that the migrations make, read from an embedded database that is thrown away; and
db/functions.json, when db/functions changed last. Run it after each new migration and each change of a function.`,
  options: {},
  async run() {
    const folder = await mkdtemp(join(tmpdir(), "stopwatch-schema-"));
    try {
      // PostgreSQL runs as another user where this one is root.
      await chmod(folder, 0o711);
      const server = await startEmbeddedPostgres(folder);
      try {
        await migrate(server.url);
        await write(server.url);
      } finally {
        await server.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await writeFile(FUNCTIONS_FILE, dumpFunctions(Date.now()));
    console.log("Wrote db/schema.sql and db/functions.json.");
    return 0;
  },
});

async function write(url: string) {
  await writeFile(SCHEMA_FILE, await onDatabase(url, { name: "stopwatch schema:dump" }, dumpSchema));
}
