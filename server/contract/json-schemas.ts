import { z } from "zod";

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Turns zod schemas into JSON Schema (2020-12) for one document. Those with an `id` in their meta are put into
 * `components` once and referred to. `input` is what a caller writes, `output` what an answer holds, which may gain fields
 * within a version. Throws when a schema
 * has no form there and its meta does not give one, and when one id stands for two schemas.
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
          throw new Error(`two schemas are called ${id}`);
      }
      return own;
    },
  };
}

type Generated = JsonSchema & { $defs?: Record<string, JsonSchema> };

/** Where the components are in an OpenAPI document. */
function referring(schema: z.core.JSONSchema.BaseSchema): Generated {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

// Its meta says what z.custom is; nothing may be left open.
function unrepresentable({ zodSchema }: { zodSchema: z.core.$ZodType }) {
  return z.globalRegistry.get(zodSchema)?.type === undefined ? "throw" : "any";
}

/** Integers without bounds of their own are not told those of JavaScript's safe integers. */
function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Objects of an answer do not rule out what is not described. */
function overrideOpen(given: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  override(given);
  if (given.jsonSchema.additionalProperties === false) delete given.jsonSchema.additionalProperties;
}
