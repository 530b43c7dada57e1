import { parseCustomHeaders } from "../../../domain/headers.ts";
import type { CustomHeaders } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";

const EXAMPLE = '--header "X-Shop: 7"';

/** Headers from lines such as `X-Shop: 7`, undefined without any. Throws a UsageError that names `--header`, not the value. */
export function parseHeaders(lines: readonly string[]): CustomHeaders | undefined {
  if (lines.length === 0) return undefined;
  const pairs = lines.map((line) => {
    const [, name, value] = /^([^:]+):[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError("--header must be a name, a colon and a value", EXAMPLE);
    return [name, value] as const;
  });
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) throw new UsageError("--header names a header twice: join its values", EXAMPLE);
  const headers = Object.fromEntries(pairs);
  const parsed = parseCustomHeaders(headers);
  if (parsed.ok) return headers;
  const [problem] = parsed.problems;
  throw new UsageError(`--header ${problem?.path.replace(/^headers\.?/, "")} ${problem?.message}`, EXAMPLE);
}
