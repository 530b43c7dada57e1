import { type Node, parse } from "libpg-query";
import { readIndexStep } from "#db/migrator/read-index-step.ts";
import { History } from "./history.ts";
import { type Judgement, judgeStatement } from "./judge-statement.ts";

/** The text of a migration, with drizzle's breakpoints in it. */
export type MigrationText = { tag: string; text: string };

/**
 * Finds what would hold up a service that works while these migrations are applied, or break processes of the previous
 * release. The first migration is not judged, because it meets an empty database. `isUsed` says whether the
 * previous release names a table, column or function; `tag` is that of the migration which removes it. Returns a sentence
 * for each problem, with what to write instead. Throws when a text is no SQL.
 */
export async function lintMigrations(
  migrations: readonly MigrationText[],
  isUsed: (name: string, tag: string) => boolean,
): Promise<string[]> {
  const history = new History();
  const problems: string[] = [];
  for (const [at, { tag, text }] of migrations.entries()) {
    const steps = await Promise.all(text.split("--> statement-breakpoint").map(readStatements));
    const statements = steps.flat();
    if (at > 0) {
      const found = [...judgeSteps(text, steps), ...judgeMigration(statements, history, (name) => isUsed(name, tag))];
      problems.push(...found.map((problem) => `${tag}: ${problem}`));
    }
    for (const statement of statements) history.add(statement);
  }
  return problems;
}

async function readStatements(text: string): Promise<Node[]> {
  if (text.trim() === "") return [];
  const { stmts = [] } = await parse(text);
  return stmts.flatMap(({ stmt }) => stmt ?? []);
}

/** A statement with CONCURRENTLY runs outside any transaction, by itself. */
function judgeSteps(text: string, steps: Node[][]): string[] {
  const statements = steps.flat();
  const concurrent = statements.filter(isConcurrent).length;
  if (concurrent === 0) return [];
  if (concurrent < statements.length)
    return ["Statements with CONCURRENTLY run outside the transaction: put them into a migration of their own."];
  if (steps.some((step) => step.length > 1))
    return ["Statements with CONCURRENTLY run one by one: put --> statement-breakpoint between them."];
  const read = text.split("--> statement-breakpoint").filter((step) => readIndexStep(step) !== undefined).length;
  return read === concurrent
    ? []
    : [
        "The migrator cannot read this CONCURRENTLY: name the index, and write CREATE INDEX CONCURRENTLY name ON table …",
      ];
}

const isConcurrent = (statement: Node) =>
  ("IndexStmt" in statement && statement.IndexStmt.concurrent) ||
  ("DropStmt" in statement && statement.DropStmt.concurrent);

function judgeMigration(statements: Node[], history: History, isUsed: (name: string) => boolean): string[] {
  const made = new Set(statements.flatMap(madeBy));
  const judgements = statements.map((statement) => judgeStatement(statement, { history, made, isUsed }));
  return [...judgements.flatMap(({ problems }) => problems), ...judgeLocks(judgements)];
}

function madeBy(statement: Node): string[] {
  return "CreateStmt" in statement ? [statement.CreateStmt.relation?.relname ?? ""] : [];
}

function judgeLocks(judgements: Judgement[]): string[] {
  const tables = [...new Set(judgements.flatMap(({ locked }) => locked))];
  const problems: string[] = [];
  // A foreign key needs both of its tables.
  if (tables.length > 1 && !judgements.some(({ locked }) => tables.every((table) => locked.includes(table))))
    problems.push(
      `It waits for ${tables.slice(1).join(", ")} while it has ${tables[0]} locked. Change one table in a migration.`,
    );
  if (tables.length > 0 && judgements.some(({ validates }) => validates))
    problems.push(
      `VALIDATE CONSTRAINT scans while ${tables.join(", ")} is locked. Put it into a later migration, which locks nothing.`,
    );
  return problems;
}
