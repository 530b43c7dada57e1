import type { OpenApiDocument } from "./openapi.ts";

export type ReferenceField = {
  /** The path of the field, such as `items[].id`. */
  name: string;
  /** In words, such as `string or null`. */
  type: string;
  /** Where a parameter is sent: path, query or header. */
  place?: string;
  isRequired: boolean;
  description?: string;
  /** Bounds and the default, in words. */
  bounds?: string;
};

/** The keywords of JSON Schema that are shown. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  [bound: string]: unknown;
};

/** Resolves and describes the schemas of a document. */
export function resolverOf(document: OpenApiDocument) {
  const schemas = document.components.schemas as Record<string, Schema>;
  /** Replaces a reference by its schema. Keywords beside the reference override those of the schema. */
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const found = schemas[schema.$ref.split("/").at(-1) ?? ""];
    if (found === undefined) throw new Error(`the document refers to ${schema.$ref}, which it does not have`);
    const { $ref, ...own } = schema;
    return { ...resolve(found), ...own };
  };
  return {
    resolve,
    describe(schema: Schema): Pick<ReferenceField, "type" | "description" | "bounds"> {
      const resolved = resolve(schema);
      const bounds = boundsOf(resolved);
      return {
        type: typeOf(resolved, resolve),
        ...(resolved.description && { description: resolved.description }),
        ...(bounds && { bounds }),
      };
    },
  };
}

type Resolver = ReturnType<typeof resolverOf>;

/** The fields of an object schema and of the objects in it, in order. */
export function fieldsOf(schema: Schema, resolver: Resolver, within = "", depth = 0): ReferenceField[] {
  const { properties = {}, required = [] } = resolver.resolve(schema);
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = within + key;
    const field = { ...resolver.describe(property), name, isRequired: required.includes(key) };
    const inner = innerObject(property, resolver);
    if (inner === null || depth === DEPTH_MAX) return [field];
    return [field, ...fieldsOf(inner.schema, resolver, `${name}${inner.suffix}.`, depth + 1)];
  });
}

const DEPTH_MAX = 3;

/** The object schema of a field that holds an object or a list of objects; null for other fields. */
function innerObject(property: Schema, { resolve }: Resolver): { schema: Schema; suffix: string } | null {
  const options = [resolve(property), ...(resolve(property).anyOf ?? []).map(resolve)];
  for (const option of options) {
    if (option.properties) return { schema: option, suffix: "" };
    const items = option.items && resolve(option.items);
    if (items?.properties) return { schema: items, suffix: "[]" };
  }
  return null;
}

function typeOf(schema: Schema, resolve: (schema: Schema) => Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map((option) => typeOf(resolve(option), resolve)))].join(" or ");
  if (schema.format === "date-time") return "instant";
  const types = [schema.type ?? "object"].flat();
  return types.map((type) => (type === "array" ? `list of ${itemType(schema, resolve)}` : type)).join(" or ");
}

function itemType({ items }: Schema, resolve: (schema: Schema) => Schema): string {
  const item = items && resolve(items);
  return !item || item.properties ? "objects" : typeOf(item, resolve);
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxProperties } = schema;
  return [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(undefined, maxProperties, " entries"),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((text) => text !== "")
    .join("; ");
}

function range(min: unknown, max: unknown, unit: string): string {
  const format = (value: unknown) => Number(value).toLocaleString("en");
  if (min !== undefined && max !== undefined) return `${format(min)} to ${format(max)}${unit}`;
  if (max !== undefined) return `at most ${format(max)}${unit}`;
  return min === undefined ? "" : `from ${format(min)}${unit}`;
}
