import type { Constraint, CreateStmt, Node } from "libpg-query";
import { constraintsOf, notNullColumn } from "./nodes.ts";

/** What the migrations so far have made, as far as the rules ask for it. */
export class History {
  readonly partitionedTables = new Set<string>();
  /** The table of each index. */
  readonly tableOfIndex = new Map<string, string>();
  /** Columns, as `table.column`, of which a check that was validated says that they are not null. */
  readonly checkedNotNull = new Set<string>();
  /** The same by the name of its constraint, `table.constraint`, validated or not. */
  readonly #notNullChecks = new Map<string, string>();

  add(statement: Node): void {
    if ("CreateStmt" in statement) this.#addTable(statement.CreateStmt);
    if ("IndexStmt" in statement)
      this.tableOfIndex.set(statement.IndexStmt.idxname ?? "", statement.IndexStmt.relation?.relname ?? "");
    if (!("AlterTableStmt" in statement)) return;
    const table = statement.AlterTableStmt.relation?.relname ?? "";
    for (const node of statement.AlterTableStmt.cmds ?? []) {
      if (!("AlterTableCmd" in node)) continue;
      const { subtype, def, name = "" } = node.AlterTableCmd;
      if (subtype === "AT_AddConstraint" && def && "Constraint" in def) this.#addConstraint(table, def.Constraint);
      const column = this.#notNullChecks.get(`${table}.${name}`);
      if (column === undefined) continue;
      if (subtype === "AT_ValidateConstraint") this.checkedNotNull.add(column);
      if (subtype === "AT_DropConstraint") this.checkedNotNull.delete(column);
    }
  }

  #addTable({ relation, partspec, tableElts = [] }: CreateStmt): void {
    const table = relation?.relname ?? "";
    if (partspec) this.partitionedTables.add(table);
    for (const element of tableElts) {
      if ("Constraint" in element) this.#addConstraint(table, element.Constraint);
      if ("ColumnDef" in element)
        for (const constraint of constraintsOf(element.ColumnDef)) this.#addConstraint(table, constraint);
    }
  }

  #addConstraint(table: string, constraint: Constraint): void {
    const column = notNullColumn(constraint);
    if (column === undefined) return;
    this.#notNullChecks.set(`${table}.${constraint.conname}`, `${table}.${column}`);
    if (!constraint.skip_validation) this.checkedNotNull.add(`${table}.${column}`);
  }
}
