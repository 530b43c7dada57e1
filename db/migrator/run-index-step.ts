import { findIndex, findPartitionWithout, isPartitioned, type PartitionIndex } from "./find-index.ts";
import { MigrationError } from "./migration-error.ts";
import type { IndexStep } from "./read-index-step.ts";
import { runAlone } from "./run-alone.ts";
import type { MigrationSession } from "./session.ts";
import { withLockRetries } from "./with-lock-retries.ts";

/**
 * Runs a step that creates or drops an index CONCURRENTLY, which neither blocks readers nor writers. It may have been
 * interrupted before, anywhere: a valid index of that name is taken for this step's, one that is not valid is dropped
 * and made again.
 */
export async function runIndexStep(session: MigrationSession, step: IndexStep): Promise<void> {
  if (step.action === "drop") return runAlone(session, step.index, `DROP INDEX CONCURRENTLY IF EXISTS ${step.index}`);
  if (await isPartitioned(session.sql, step.table)) return createOnPartitions(session, step);
  return create(session, step);
}

async function create(session: MigrationSession, { index, table, statement }: PartitionIndex): Promise<void> {
  const found = await findOwn(session, index, table);
  if (found?.isValid) return;
  if (found) await drop(session, found.name);
  try {
    await runAlone(session, index, statement);
  } catch (error) {
    // What is left of a unique index would go on refusing rows.
    if (isViolation(error)) await drop(session, index);
    throw error;
  }
}

/**
 * PostgreSQL makes no index of a partitioned table concurrently. So make it on the parent alone, where it stays invalid,
 * and then on one partition after the other. The server makes it on partitions that are added meanwhile.
 */
async function createOnPartitions(session: MigrationSession, step: IndexStep & { action: "create" }): Promise<void> {
  const { index, table, onParent } = step;
  if (!(await findOwn(session, index, table))) await withLockRetries(session, index, (tx) => tx.unsafe(onParent));
  for (;;) {
    const part = await findPartitionWithout(session.sql, index, table);
    if (part === undefined) return;
    try {
      await create(session, part);
      await withLockRetries(session, index, (tx) => tx.unsafe(`ALTER INDEX ${index} ATTACH PARTITION ${part.index}`));
    } catch (error) {
      // Retention has dropped the partition.
      if (!isMissing(error)) throw error;
    }
  }
}

async function findOwn(session: MigrationSession, index: string, table: string) {
  const found = await findIndex(session.sql, index, table);
  if (found?.isOnTable === false)
    throw new MigrationError(`The index ${found.name} belongs to another table than ${table}: rename or drop it.`);
  return found;
}

const drop = (session: MigrationSession, index: string) =>
  runAlone(session, index, `DROP INDEX CONCURRENTLY IF EXISTS ${index}`);

const isViolation = (error: unknown) => /^23/.test((error as { code?: string }).code ?? "");
const isMissing = (error: unknown) => (error as { code?: string }).code === "42P01";
