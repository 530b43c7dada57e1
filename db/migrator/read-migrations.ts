import { readFileSync } from "node:fs";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { MigrationError } from "./migration-error.ts";
import { type IndexStep, readIndexStep } from "./read-index-step.ts";

/** A migration of the folder, as drizzle-kit writes it: its journal has the tag and when it was written, epoch ms. */
export type Migration = { tag: string; writtenAt: number; hash: string } & (
  | { kind: "transaction"; statements: string[] }
  | { kind: "steps"; steps: IndexStep[] }
);

/**
 * Reads the migrations of a folder in their order. A migration that creates or drops an index CONCURRENTLY consists of
 * such statements alone, which are its steps. Throws a MigrationError when it has others too.
 */
export function readMigrations(folder: string): Migration[] {
  const journal: { entries: { tag: string }[] } = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8"));
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql, folderMillis, hash }, at) => {
    const { tag } = journal.entries[at] as { tag: string };
    const statements = sql.filter((statement) => statement.trim() !== "");
    const steps = statements.map(readIndexStep).filter((step) => step !== undefined);
    const common = { tag, writtenAt: folderMillis, hash };
    if (steps.length === 0) return { ...common, kind: "transaction", statements };
    if (steps.length === statements.length) return { ...common, kind: "steps", steps };
    throw new MigrationError(
      `The migration ${tag} creates or drops an index CONCURRENTLY beside other statements: put those into a migration of their own.`,
    );
  });
}
