import type { DropStmt, IndexStmt, InsertStmt, Node, RangeVar, RenameStmt } from "libpg-query";
import type { History } from "./history.ts";
import { judgeAlterTable, stillUsed, unknown } from "./judge-alter-table.ts";
import { findAll, kindOf, lastNameIn, namesIn } from "./nodes.ts";

export type Circumstances = {
  history: History;
  /** The tables that this migration makes. */
  made: ReadonlySet<string>;
  /** Whether the previous release names this table, column or function. */
  isUsed: (name: string) => boolean;
};

/** What is wrong with a statement, as sentences, and the tables from before that it locks against readers or writers. */
export type Judgement = { problems: string[]; locked: string[]; validates?: boolean };

/** Judges one statement of a migration. A statement of a kind that is not known here is a problem. */
export function judgeStatement(statement: Node, circumstances: Circumstances): Judgement {
  const { made } = circumstances;
  const old = (tables: (RangeVar | undefined)[]) =>
    tables.flatMap((table) => (table?.relname === undefined || made.has(table.relname) ? [] : [table.relname]));

  if ("CreateStmt" in statement) {
    const { tableElts, partbound, inhRelations } = statement.CreateStmt;
    const parents = partbound ? old(findAll<RangeVar>(inhRelations, "RangeVar")) : [];
    return {
      problems: parents.map(
        (parent) => `A partition of ${parent} is made by its functions, which know its locks: call none here.`,
      ),
      locked: old(findAll<RangeVar>(tableElts, "pktable")),
    };
  }
  if ("AlterTableStmt" in statement) {
    const { relation, objtype, cmds = [] } = statement.AlterTableStmt;
    const [table] = old([relation]);
    if (objtype !== "OBJECT_TABLE") return { problems: [unknown(`ALTER of an ${objtype}`)], locked: [] };
    if (table === undefined) return NOTHING;
    const commands = cmds.flatMap((node) => ("AlterTableCmd" in node ? [node.AlterTableCmd] : []));
    const validates = commands.some(({ subtype }) => subtype === "AT_ValidateConstraint");
    const locks = commands.some(({ subtype }) => subtype !== "AT_ValidateConstraint");
    return {
      problems: commands.flatMap((command) => judgeAlterTable(command, table, circumstances)),
      locked: locks ? [table, ...old(findAll<RangeVar>(cmds, "pktable"))] : [],
      validates,
    };
  }
  if ("IndexStmt" in statement) return judgeIndex(statement.IndexStmt, old([statement.IndexStmt.relation])[0]);
  if ("DropStmt" in statement) return judgeDrop(statement.DropStmt, circumstances);
  if ("RenameStmt" in statement) return judgeRename(statement.RenameStmt, circumstances);
  if ("CreateTrigStmt" in statement) return { problems: [], locked: old([statement.CreateTrigStmt.relation]) };
  if ("InsertStmt" in statement) return judgeInsert(statement.InsertStmt, old);
  for (const kind of ["UpdateStmt", "DeleteStmt", "MergeStmt"] as const)
    if (kind in statement) return judgeChange((statement as Record<string, Change>)[kind] as Change, old);
  const kind = kindOf(statement);
  if (HARMLESS.has(kind)) return NOTHING;
  return { problems: [NEVER[kind] ?? unknown(kind)], locked: [] };
}

const NOTHING: Judgement = { problems: [], locked: [] };

const HARMLESS: ReadonlySet<string> = new Set(["CommentStmt", "GrantStmt", "CreateExtensionStmt"]);

const OF_FUNCTION =
  "A function stands in db/functions alone, with what belongs to it: write it there, and leave it out here.";

const NEVER: Record<string, string> = {
  CreateFunctionStmt: OF_FUNCTION,
  AlterFunctionStmt: OF_FUNCTION,
  LockStmt: "LOCK TABLE holds up everyone: leave it out. Each statement takes the lock that it needs.",
  VacuumStmt: "VACUUM and ANALYZE are the server's work (VACUUM FULL rewrites under a lock): leave them out.",
  ClusterStmt: "CLUSTER rewrites the table under a lock: leave it out.",
  ReindexStmt:
    "REINDEX holds up writers: write CREATE INDEX CONCURRENTLY of another name, then DROP INDEX CONCURRENTLY of the old one.",
  TruncateStmt: "TRUNCATE removes what others still read, under a lock: let retention delete the rows in batches.",
  DoStmt: "What DO does cannot be judged here: write its statements out.",
  SelectStmt: "A migration defines, and runs nothing: what a function locks cannot be judged here.",
  CallStmt: "A migration defines, and runs nothing: what a procedure locks cannot be judged here.",
  TransactionStmt: "The migrator begins and ends the transaction: leave it out.",
  VariableSetStmt: "The migrator sets what a migration needs: leave it out.",
};

function judgeIndex({ idxname, concurrent }: IndexStmt, table: string | undefined): Judgement {
  if (table === undefined || concurrent) return NOTHING;
  return {
    problems: [
      `CREATE INDEX ${idxname} blocks each write to ${table} while it is made. Write CREATE INDEX CONCURRENTLY, in a migration of its own.`,
    ],
    locked: [table],
  };
}

function judgeDrop(drop: DropStmt, { history, made, isUsed }: Circumstances): Judgement {
  const judged: Judgement = { problems: [], locked: [] };
  if (drop.behavior === "DROP_CASCADE") judged.problems.push("CASCADE drops what this file does not name: name it.");
  for (const object of drop.objects ?? []) {
    const names = "ObjectWithArgs" in object ? namesIn(object.ObjectWithArgs.objname) : namesIn([object]);
    const name = names.at(-1) ?? "";
    switch (drop.removeType) {
      case "OBJECT_INDEX": {
        const table = history.tableOfIndex.get(name);
        const isPartitioned = table !== undefined && history.partitionedTables.has(table);
        if (isPartitioned) judged.locked.push(table);
        if (isPartitioned && drop.concurrent)
          judged.problems.push(
            `PostgreSQL cannot drop ${name} CONCURRENTLY, since ${table} is partitioned: write DROP INDEX.`,
          );
        if (!isPartitioned && !drop.concurrent)
          judged.problems.push(
            `DROP INDEX ${name} waits for readers of its table, and all others wait behind it. Write DROP INDEX CONCURRENTLY.`,
          );
        break;
      }
      case "OBJECT_TABLE":
        if (made.has(name)) break;
        if (isUsed(name)) judged.problems.push(stillUsed(`the table ${name}`));
        judged.locked.push(name);
        break;
      case "OBJECT_FUNCTION":
      case "OBJECT_PROCEDURE":
        if (isUsed(name)) judged.problems.push(stillUsed(`the function ${name}`));
        if (!drop.missing_ok)
          judged.problems.push(`A new database never had the function ${name}: write DROP FUNCTION IF EXISTS.`);
        break;
      case "OBJECT_TRIGGER":
        judged.locked.push(names.at(-2) ?? "");
        break;
      default:
        judged.problems.push(unknown(`DROP of an ${drop.removeType}`));
    }
  }
  return judged;
}

function judgeRename(
  { renameType, relation, object, subname }: RenameStmt,
  { made, isUsed }: Circumstances,
): Judgement {
  const table = relation?.relname ?? "";
  if (made.has(table) || renameType === "OBJECT_INDEX") return NOTHING;
  if (renameType === "OBJECT_TABCONSTRAINT" || renameType === "OBJECT_TRIGGER")
    return { problems: [], locked: [table] };
  const isFunction = object !== undefined && "ObjectWithArgs" in object;
  const name = isFunction ? lastNameIn(object.ObjectWithArgs.objname) : (subname ?? table);
  const problem = `${stillUsed(name)} Then it can have the other name, beside the old one at first.`;
  return { problems: isUsed(name) ? [problem] : [], locked: isFunction ? [] : [table] };
}

type Old = (tables: (RangeVar | undefined)[]) => string[];

function judgeInsert({ selectStmt }: InsertStmt, old: Old): Judgement {
  const sources = old([...findAll<RangeVar>(selectStmt, "RangeVar")]);
  const problems = sources.map(
    (source) => `Copying rows of ${source} takes as long as it is large. Let the service write them in batches.`,
  );
  return { problems, locked: [] };
}

type Change = { relation?: RangeVar; whereClause?: Node };

/** Tables whose number of rows is fixed. */
const SMALL: ReadonlySet<string> = new Set(["shards"]);

function judgeChange({ relation, whereClause }: Change, old: Old): Judgement {
  const [table] = old([relation]);
  if (table === undefined || (SMALL.has(table) && whereClause !== undefined)) return NOTHING;
  return {
    problems: [
      `Changing rows of ${table} here locks them, and takes as long as there are many. Let the service change them in batches, as jobs of retention do.`,
    ],
    locked: [],
  };
}
