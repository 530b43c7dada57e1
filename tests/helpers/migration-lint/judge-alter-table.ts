import type { AlterTableCmd, ColumnDef, Constraint, Node } from "libpg-query";
import type { Circumstances } from "./judge-statement.ts";
import { constraintsOf, findAll, lastNameIn } from "./nodes.ts";

/** What is wrong with one command of `ALTER TABLE` on a table that existed before: a sentence that says what to write instead. */
export function judgeAlterTable(command: AlterTableCmd, table: string, circumstances: Circumstances): string[] {
  const { subtype = "AT_AddColumn", def, name = "" } = command;
  switch (subtype) {
    case "AT_AddColumn":
      return def && "ColumnDef" in def ? judgeColumn(def.ColumnDef) : [];
    case "AT_AddConstraint":
      return def && "Constraint" in def ? judgeConstraint(def.Constraint) : [];
    case "AT_SetNotNull":
      return circumstances.history.checkedNotNull.has(`${table}.${name}`)
        ? []
        : [
            `SET NOT NULL scans ${table} under a lock. First ADD CONSTRAINT … CHECK (${name} IS NOT NULL) NOT VALID, in a second migration VALIDATE CONSTRAINT, and in a third SET NOT NULL.`,
          ];
    case "AT_AlterColumnType":
      return [
        `ALTER COLUMN ${name} TYPE rewrites ${table} under a lock. Add a column of the new type, write both, fill it in batches, and drop the old one in a later release.`,
      ];
    case "AT_DropColumn":
      return circumstances.isUsed(name) ? [stillUsed(`the column ${name}`)] : [];
    case "AT_ColumnDefault":
      return def === undefined && circumstances.isUsed(name) ? [stillUsed(`the default of ${name}`)] : [];
    default:
      return SHORT.has(subtype) ? [] : [unknown(`ALTER TABLE with ${subtype}`)];
  }
}

export const stillUsed = (what: string) =>
  `The previous release uses ${what}, and its processes run on this schema for a while. Remove it in the release after the one that stops using it.`;

export const unknown = (what: string) =>
  `Whether ${what} takes a long lock is not known here. Do without it, or teach tests/helpers/migration-lint/ once you know.`;

/** They change the catalog alone. */
const SHORT: ReadonlySet<string> = new Set([
  "AT_ValidateConstraint",
  "AT_DropNotNull",
  "AT_DropConstraint",
  "AT_SetStatistics",
  "AT_SetOptions",
  "AT_ResetOptions",
  "AT_SetStorage",
  "AT_SetCompression",
  "AT_SetRelOptions",
  "AT_ResetRelOptions",
  "AT_EnableTrig",
  "AT_DisableTrig",
]);

function judgeColumn(column: ColumnDef): string[] {
  const name = column.colname ?? "";
  const constraints = constraintsOf(column);
  const has = (type: Constraint["contype"]) => constraints.some(({ contype }) => contype === type);
  const problems = constraints.flatMap((constraint) => judgeColumnConstraint(name, constraint));
  if (/^(big|small)?serial\d?$/.test(lastNameIn(column.typeName?.names))) problems.push(rewrites(name));
  if (has("CONSTR_NOTNULL") && !has("CONSTR_DEFAULT"))
    problems.push(
      `The rows there are, and those that the previous release inserts, have no ${name}. Give it a constant DEFAULT, or leave out NOT NULL.`,
    );
  return problems;
}

function judgeColumnConstraint(column: string, constraint: Constraint): string[] {
  switch (constraint.contype) {
    case "CONSTR_NULL":
    case "CONSTR_NOTNULL":
      return [];
    case "CONSTR_DEFAULT":
      return isEvaluatedOnce(constraint.raw_expr) ? [] : [rewrites(column)];
    case "CONSTR_GENERATED":
    case "CONSTR_IDENTITY":
      return [rewrites(column)];
    case "CONSTR_CHECK":
    case "CONSTR_FOREIGN":
      return [`Add the column ${column} without its constraint, then ADD CONSTRAINT … NOT VALID. ${VALIDATE_LATER}`];
    default:
      return [WITH_INDEX];
  }
}

const VALIDATE_LATER = "VALIDATE CONSTRAINT is a later migration.";
const WITH_INDEX =
  "This makes an index under a lock. Write CREATE UNIQUE INDEX CONCURRENTLY in a migration of its own, and in the next one ADD CONSTRAINT … UNIQUE USING INDEX.";

const rewrites = (column: string) =>
  `Each row needs another ${column}, which rewrites the table under a lock. Add the column without that, then SET DEFAULT for new rows, and fill the old ones in batches.`;

function judgeConstraint(constraint: Constraint): string[] {
  const { contype, conname = "", skip_validation, indexname } = constraint;
  switch (contype) {
    case "CONSTR_CHECK":
    case "CONSTR_FOREIGN":
      return skip_validation
        ? []
        : [`ADD CONSTRAINT ${conname} scans the table under a lock. Write NOT VALID at its end. ${VALIDATE_LATER}`];
    case "CONSTR_UNIQUE":
    case "CONSTR_PRIMARY":
      return indexname === undefined ? [WITH_INDEX] : [];
    default:
      return [unknown(`ADD CONSTRAINT ${conname} with ${contype}`)];
  }
}

// The server evaluates a default that is not volatile once, and stores it in the catalog.
function isEvaluatedOnce(expression: Node | undefined): boolean {
  return findAll<{ funcname?: Node[] }>(expression, "FuncCall").every(({ funcname }) => lastNameIn(funcname) === "now");
}
