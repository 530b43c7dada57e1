import { rm } from "node:fs/promises";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { makeServerFolder } from "#tests/helpers/own-server.ts";
import { hasRelease14, release14 } from "#tests/helpers/postgres-release.ts";
import { runNode, runScript } from "./script-process.ts";

const WEB = `import { start } from "#server/start.ts"; await start();`;

describe.skipIf(!hasRelease14)(
  `a server with PostgreSQL 14${hasRelease14 ? "" : " (not run: npm ci --prefix tests/postgres)"}`,
  () => {
    let folder: string;
    let server: EmbeddedPostgres;
    let settings: Record<string, string>;

    beforeAll(async () => {
      folder = await makeServerFolder();
      server = await startEmbeddedPostgres(folder, release14());
      settings = { DATABASE_URL: server.url, ENCRYPTION_KEYS: `k1:${generateEncryptionKey()}` };
    });
    afterAll(async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    });

    it.each([
      ["npm run migrate", () => runScript("migrate", [], settings)],
      ["the dispatcher", () => runNode(["dispatcher/main.ts"], settings)],
      ["the web process", () => runNode(["--input-type=module", "-e", WEB], { ...settings, NODE_ENV: "production" })],
    ])("is refused by %s, which names it, before anything is written", async (_name, run) => {
      const refused = run();
      expect(await refused.exited).toBe(1);
      const said = refused.stderr.join("\n");
      expect(said).toMatch(
        /The database is PostgreSQL 14\.\d+, and Stopwatch needs 15 or later\. Nothing was changed\./,
      );
      expect(said).not.toMatch(/^ +at /m);

      const sql = postgres(server.url, { max: 1 });
      const found = await sql`
      SELECT nspname FROM pg_namespace WHERE nspname = 'drizzle'
      UNION ALL SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`;
      await sql.end();
      expect([...found]).toEqual([]);
    });
  },
);
