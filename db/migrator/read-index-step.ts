/** A statement that creates or drops an index without a transaction. Names are as they are written in it. */
export type IndexStep =
  | { action: "create"; index: string; table: string; statement: string; onParent: string }
  | { action: "drop"; index: string; statement: string };

/**
 * Reads `CREATE [UNIQUE] INDEX CONCURRENTLY name ON table …` or `DROP INDEX CONCURRENTLY name`. `onParent` is the form
 * that a partitioned table allows. Returns undefined for any other statement.
 */
export function readIndexStep(statement: string): IndexStep | undefined {
  const bare = statement.replace(COMMENTS, "");
  const create = CREATE.exec(bare)?.groups;
  if (create) {
    const { unique = "", index = "", table = "", rest = "" } = create;
    return {
      action: "create",
      index,
      table,
      statement,
      onParent: `CREATE ${unique} INDEX ${index} ON ONLY ${table} ${rest}`,
    };
  }
  const index = DROP.exec(bare)?.groups?.index;
  return index === undefined ? undefined : { action: "drop", index, statement };
}

const COMMENTS = /^(\s|--[^\n]*(\n|$)|\/\*.*?\*\/)+/s;
const NAME = String.raw`(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)`;
const PATH = String.raw`(?:${NAME}\.)?${NAME}`;
const CREATE = new RegExp(
  String.raw`^CREATE\s+(?<unique>UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(?<index>${NAME})\s+ON\s+(?:ONLY\s+)?(?<table>${PATH})(?<rest>[\s(].*)$`,
  "is",
);
const DROP = new RegExp(
  String.raw`^DROP\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+EXISTS\s+)?(?<index>${PATH})\s*(?:RESTRICT\s*)?;?\s*$`,
  "is",
);
