import { UsageError } from "../errors/usage-error.ts";
import { FIELDS, findColumn } from "./fields.ts";

/** What `--map NAME=FIELD` options say, by name. Throws a UsageError for one that is malformed, or names no field. */
export function parseMap(options: readonly string[]): Map<string, string> {
  return new Map(
    options.map((option) => {
      const at = option.lastIndexOf("=");
      const [name, field] = [option.slice(0, at), option.slice(at + 1)];
      if (at < 1) throw new UsageError("--map must be the name of a column, =, and a field", EXAMPLE);
      if (field !== "" && findColumn(field, new Map()) === undefined) {
        throw new UsageError(`--map names no field: one of ${FIELDS.join(", ")}, or headers.<name>`, EXAMPLE);
      }
      return [name, field] as const;
    }),
  );
}

const EXAMPLE = "stopwatch import rows.csv --map url=targetUrl --map note=";
