import { z } from "zod";
import type { Environment } from "#domain/environment.ts";
import type { Endpoint, QueryOf, QuerySchema } from "../endpoint.ts";
import { Env } from "../fields.ts";
import { DETAILS_MAX, invalid, unknownNameMessage, validate } from "./validate.ts";

/**
 * Parses the query parameters of a URL. Throws VALIDATION for a parameter that is unknown (unless `ignoreUnknown`), given
 * twice (unless `repeatable`, whose values are an array), empty or malformed.
 */
export function readQuery<T>(
  url: string,
  schema: QuerySchema<T>,
  { ignoreUnknown = false, repeatable = [] }: { ignoreUnknown?: boolean; repeatable?: readonly string[] } = {},
): T {
  if (!url.includes("?")) return validate(schema, {});
  const values = new Map<string, string | string[]>();
  const problems: { path: string; message: string }[] = [];
  for (const [name, value] of new URL(url).searchParams) {
    const isKnown = Object.hasOwn(schema.shape, name);
    if (!isKnown && ignoreUnknown) continue;
    if (!isKnown) problems.push({ path: name, message: unknownNameMessage(name, Object.keys(schema.shape)) });
    else if (values.has(name) && !repeatable.includes(name))
      problems.push({ path: name, message: "must be given once" });
    else if (value === "") problems.push({ path: name, message: "must not be empty" });
    // Describing a name costs microseconds, and a URL has room for thousands.
    if (problems.length === DETAILS_MAX) break;
    values.set(name, repeatable.includes(name) ? [...(values.get(name) ?? []), value] : value);
  }
  if (problems.length > 0) throw invalid(problems);
  return validate(schema, Object.fromEntries(values));
}

export const NO_PARAMETERS = z.strictObject({});

/** Returns a parser for the endpoint's query parameters, with `env` among them when the endpoint has environments. */
export function queryReader<E extends Endpoint>({ query, repeatable, hasEnv }: E) {
  const parameters = (query ?? NO_PARAMETERS) as z.ZodObject;
  const schema = hasEnv ? parameters.extend({ env: Env.optional() }) : parameters;
  return (url: string): { env: Environment | undefined; query: QueryOf<E> } => {
    const { env, ...rest } = readQuery(url, schema as unknown as QuerySchema<Record<string, unknown>>, {
      ...(repeatable && { repeatable }),
    });
    return { env: env as Environment | undefined, query: rest as QueryOf<E> };
  };
}

/** Throws VALIDATION when a call names another environment than that of its key; null for a session, which may act in either. */
export function checkEnvironment(env: Environment | undefined, ofKey: Environment | null): void {
  if (env === undefined || ofKey === null || env === ofKey) return;
  throw invalid([{ path: "env", message: `must be ${ofKey}, the environment of the API key` }]);
}
