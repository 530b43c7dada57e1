import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import contract from "./contract.json" with { type: "json" };

export type Arguments = { [name: string]: unknown };

/** The arguments of a tool that makes this call of the API. */
export function argumentsOf(operation: keyof typeof contract): StandardSchemaWithJSON<Arguments, Arguments> {
  return schemaOf(contract[operation]);
}

/**
 * A JSON Schema for the arguments of a tool. It tells clients what to send. What comes is judged by the service alone,
 * whose messages say how to correct it; so a newer service may take more than this program knows.
 */
export function schemaOf(jsonSchema: object): StandardSchemaWithJSON<Arguments, Arguments> {
  return {
    "~standard": {
      version: 1,
      vendor: "stopwatch",
      validate: (value) => ({ value: (value ?? {}) as Arguments }),
      jsonSchema: { input: () => jsonSchema as Arguments, output: () => jsonSchema as Arguments },
    },
  };
}
