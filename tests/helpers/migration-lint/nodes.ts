import type { ColumnDef, Constraint, Node } from "libpg-query";

/** The kind of a node of the syntax tree, such as "IndexStmt". */
export const kindOf = (node: Node): string => Object.keys(node)[0] as string;

/** The parts of a dotted name. */
export const namesIn = (nodes: Node[] = []): string[] =>
  nodes.flatMap((node) =>
    "String" in node ? [node.String.sval ?? ""] : "List" in node ? namesIn(node.List.items) : [],
  );

export const lastNameIn = (nodes: Node[] = []): string => namesIn(nodes).at(-1) ?? "";

/** All nodes of a kind in a tree, however deep. */
export function findAll<T>(tree: unknown, kind: string): T[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(key === kind ? [value as T] : []),
    ...findAll<T>(value, kind),
  ]);
}

export const constraintsOf = ({ constraints = [] }: ColumnDef): Constraint[] =>
  constraints.flatMap((node) => ("Constraint" in node ? [node.Constraint] : []));

/** The column of which a check says that it IS NOT NULL, and nothing else. */
export function notNullColumn({ contype, raw_expr }: Constraint): string | undefined {
  if (contype !== "CONSTR_CHECK" || raw_expr === undefined || !("NullTest" in raw_expr)) return undefined;
  const { arg, nulltesttype } = raw_expr.NullTest;
  if (nulltesttype !== "IS_NOT_NULL" || arg === undefined || !("ColumnRef" in arg)) return undefined;
  return lastNameIn(arg.ColumnRef.fields);
}
