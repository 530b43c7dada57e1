import { z } from "zod";

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Converts zod schemas to JSON Schema (2020-12) for one document. Schemas with an `id` in their meta go to `components`
 * and are referenced. `input` is for requests, `output` for responses, which allow additional fields. Throws when a schema
 * cannot be represented and its meta does not say how, and when two schemas have the same id.
 */
export function createJsonSchemas() {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    of(schema: z.ZodType, io: "input" | "output"): JsonSchema {
      const {
        $schema,
        $defs = {},
        ...own
      } = referring(
        z.toJSONSchema(schema, { io, unrepresentable, override: io === "input" ? override : overrideOpen }),
      );
      for (const [id, component] of Object.entries($defs)) {
        components[id] ??= component;
        if (JSON.stringify(components[id]) !== JSON.stringify(component))
          throw new Error(`two schemas have the id ${id}`);
      }
      return own;
    },
  };
}

type Generated = JsonSchema & { $defs?: Record<string, JsonSchema> };

/** Rewrites references to the location of components in an OpenAPI document. */
function referring(schema: z.core.JSONSchema.BaseSchema): Generated {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

// A z.custom schema must describe itself in its meta.
function unrepresentable({ zodSchema }: { zodSchema: z.core.$ZodType }) {
  return z.globalRegistry.get(zodSchema)?.type === undefined ? "throw" : "any";
}

/** Removes the bounds of JavaScript's safe integers, which zod adds to integers without bounds. */
function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Allows additional properties in responses. */
function overrideOpen(given: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  override(given);
  if (given.jsonSchema.additionalProperties === false) delete given.jsonSchema.additionalProperties;
}
