import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const OWN = fileURLToPath(new URL("../../db/migrations", import.meta.url));

export type MigrationsFolder = {
  path: string;
  /** Adds a migration, or gives one that has not been applied another text. Statements are separated as by drizzle-kit. */
  write(tag: string, ...statements: string[]): Promise<void>;
  remove(): Promise<void>;
};

/** A copy of db/migrations, to which a test adds its own. */
export async function createMigrationsFolder(): Promise<MigrationsFolder> {
  const path = await mkdtemp(join(tmpdir(), "stopwatch-migrations-"));
  await cp(OWN, path, { recursive: true });
  const journalFile = join(path, "meta", "_journal.json");
  return {
    path,
    async write(tag, ...statements) {
      const journal = JSON.parse(await readFile(journalFile, "utf8"));
      if (!journal.entries.some((entry: { tag: string }) => entry.tag === tag)) {
        const last = journal.entries.at(-1);
        journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag });
        await writeFile(journalFile, JSON.stringify(journal));
      }
      await writeFile(join(path, `${tag}.sql`), statements.join("\n--> statement-breakpoint\n"));
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
