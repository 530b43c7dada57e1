/**
 * The loggable parts of an error. Errors of the database driver contain parameters and whole rows, partly in the message;
 * these are left out.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, query } = error as { code?: unknown; query?: unknown };
  const isQueryError = typeof query === "string";
  const message = isQueryError ? `Failed query: ${query}` : error.message;
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: message.slice(0, 2_000),
    stack: error.stack?.split("\n").filter((line) => /^\s+at /.test(line)),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
