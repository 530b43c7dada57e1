import { type Document, type Part, resolve } from "./resolve.ts";
import { intersection, union } from "./sets.ts";

export type Schema = boolean | Part;

/** What a value of one type has to fulfil. A schema accepts a value that fulfils one of its alternatives. */
export type Alternative = {
  /** A type of JSON, "integer", or "any". */
  type: string;
  /** The only values, by their JSON; undefined for any. */
  values: Set<string> | undefined;
  properties: Map<string, Schema>;
  /** The schema of properties without a name here. */
  additional: Schema;
  required: Set<string>;
  /** Properties that must be absent. */
  forbidden: Set<string>;
  /** Properties that must be there when another one is. */
  dependent: Map<string, Set<string>>;
  items: Schema;
  /** maxLength and the like, by keyword. */
  bounds: Map<string, number>;
  /** Other keywords with their JSON, such as `pattern "^a"`. They are compared as text. */
  conditions: Set<string>;
  default: unknown;
};

export const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
export const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];

/**
 * The alternatives of a JSON Schema (2020-12), with `$ref` and `allOf` merged into them. `oneOf` counts as `anyOf`: that
 * its alternatives exclude each other is not compared.
 */
export function alternativesOf(document: Document, schema: Schema): Alternative[] {
  if (schema === false) return [];
  if (schema === true) return [anything()];
  const { $ref, allOf, anyOf, oneOf, not, ...own } = schema;
  const all = [ownAlternatives(document, own)];
  if ($ref !== undefined) all.push(alternativesOf(document, resolve(document, schema)));
  for (const each of listOf(allOf)) all.push(alternativesOf(document, each));
  for (const union of [anyOf, oneOf]) {
    if (union !== undefined) all.push(listOf(union).flatMap((each) => alternativesOf(document, each)));
  }
  if (not !== undefined) all.push([refusing(document, not as Schema)]);
  return withoutSplitValues(all.reduce((left, right) => left.flatMap((a) => right.flatMap((b) => both(a, b)))));
}

function ownAlternatives(document: Document, schema: Part): Alternative[] {
  const values = "const" in schema ? [schema.const] : (schema.enum as unknown[] | undefined);
  const types = typesOf(schema.type, values);
  return types.flatMap((type) => {
    const fitting = values?.filter((value) => accepts(type, typeOf(value)));
    if (fitting?.length === 0) return [];
    return [{ ...keywordsOf(document, schema), type, values: valuesOf(type, fitting) }];
  });
}

function typesOf(type: unknown, values: unknown[] | undefined): string[] {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type;
  return values ? [...new Set(values.map(typeOf))] : ["any"];
}

function valuesOf(type: string, values: unknown[] | undefined): Set<string> | undefined {
  if (type === "null") return undefined;
  const known = type === "boolean" ? (values ?? [true, false]) : values;
  return known && new Set(known.map((value) => JSON.stringify(value)));
}

function keywordsOf(document: Document, schema: Part): Alternative {
  const found = anything();
  for (const [keyword, value] of Object.entries(schema)) {
    if (INTERPRETED.has(keyword) || NOTES.has(keyword)) continue;
    if (UPPER_BOUNDS.includes(keyword) || LOWER_BOUNDS.includes(keyword)) found.bounds.set(keyword, value as number);
    else found.conditions.add(`${keyword} ${JSON.stringify(value, (_, part) => inPlace(document, part))}`);
  }
  const { properties = {}, additionalProperties = true, required = [], dependentRequired = {}, items = true } = schema;
  return {
    ...found,
    properties: new Map(Object.entries(properties as Record<string, Schema>)),
    additional: additionalProperties as Schema,
    required: new Set(required as string[]),
    dependent: new Map(
      Object.entries(dependentRequired as Record<string, string[]>).map(([name, needs]) => [name, new Set(needs)]),
    ),
    items: items as Schema,
    default: schema.default,
  };
}

const INTERPRETED = new Set([
  ...["type", "const", "enum", "properties", "additionalProperties", "required", "dependentRequired", "items"],
  "default",
]);
const NOTES = new Set([
  "title",
  "description",
  "example",
  "examples",
  "deprecated",
  "externalDocs",
  "$comment",
  "$defs",
]);

function inPlace(document: Document, part: unknown): unknown {
  return typeof part === "object" && part !== null && "$ref" in part ? resolve(document, part) : part;
}

/** `not` with properties that must be absent is understood; any other one is a condition. */
function refusing(document: Document, not: Schema): Alternative {
  const options = typeof not === "object" && "anyOf" in not ? listOf(not.anyOf) : [not];
  const names = options.map((option) => {
    const { required, ...rest } = typeof option === "object" ? option : { rest: option };
    return Array.isArray(required) && required.length === 1 && Object.keys(rest).length === 0 ? required[0] : undefined;
  });
  if (names.every((name) => name !== undefined)) return { ...anything(), forbidden: new Set(names) };
  return keywordsOf(document, { not });
}

function anything(): Alternative {
  return {
    type: "any",
    values: undefined,
    properties: new Map(),
    additional: true,
    required: new Set(),
    forbidden: new Set(),
    dependent: new Map(),
    items: true,
    bounds: new Map(),
    conditions: new Set(),
    default: undefined,
  };
}

/** What fulfils both; nothing when their types or values exclude each other. */
function both(a: Alternative, b: Alternative): Alternative[] {
  const type = accepts(a.type, b.type) ? b.type : a.type;
  if (!accepts(a.type, b.type) && !accepts(b.type, a.type)) return [];
  const values = a.values && b.values ? intersection(a.values, b.values) : (a.values ?? b.values);
  if (values?.size === 0) return [];
  const names = [...new Set([...a.properties.keys(), ...b.properties.keys()])];
  const ofName = ({ properties, additional }: Alternative, name: string) => properties.get(name) ?? additional;
  return [
    {
      type,
      values,
      properties: new Map(names.map((name) => [name, allOf(ofName(a, name), ofName(b, name))])),
      additional: allOf(a.additional, b.additional),
      required: union(a.required, b.required),
      forbidden: union(a.forbidden, b.forbidden),
      dependent: new Map(
        [...a.dependent.keys(), ...b.dependent.keys()].map((name) => [
          name,
          union(a.dependent.get(name) ?? [], b.dependent.get(name) ?? []),
        ]),
      ),
      items: allOf(a.items, b.items),
      bounds: tighter(a.bounds, b.bounds),
      conditions: union(a.conditions, b.conditions),
      default: a.default ?? b.default,
    },
  ];
}

function allOf(a: Schema, b: Schema): Schema {
  if (a === true) return b;
  if (b === true) return a;
  return a === false || b === false ? false : { allOf: [a, b] };
}

function tighter(a: Map<string, number>, b: Map<string, number>): Map<string, number> {
  const merged = new Map(a);
  for (const [keyword, value] of b) {
    const other = a.get(keyword) ?? value;
    merged.set(keyword, UPPER_BOUNDS.includes(keyword) ? Math.min(other, value) : Math.max(other, value));
  }
  return merged;
}

/** `oneOf` of constants says the same as one `enum`. */
function withoutSplitValues(alternatives: Alternative[]): Alternative[] {
  const merged: Alternative[] = [];
  for (const each of alternatives) {
    const alike = merged.find(
      (other) => other.values && each.values && isAlike({ ...other, values: each.values }, each),
    );
    if (alike?.values && each.values) alike.values = union(alike.values, each.values);
    else merged.push({ ...each });
  }
  return merged;
}

function isAlike(a: Alternative, b: Alternative): boolean {
  const plain = (_: string, value: unknown) => (value instanceof Set || value instanceof Map ? [...value] : value);
  return JSON.stringify(a, plain) === JSON.stringify(b, plain);
}

function listOf(schemas: unknown): Schema[] {
  return (schemas ?? []) as Schema[];
}

/** Whether each value of type `given` is one of type `wanted`. */
export function accepts(wanted: string, given: string): boolean {
  return wanted === "any" || wanted === given || (wanted === "number" && given === "integer");
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
