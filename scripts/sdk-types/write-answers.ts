import { ENVIRONMENTS } from "#domain/environment.ts";
import { ERROR_STATUS } from "#domain/errors.ts";
import { REQUEST_METHODS } from "#domain/request-methods.ts";
import { openApiDocument } from "#server/reference/openapi.ts";

type Schema = {
  type?: string | string[];
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
};

/** The types in their order: a schema of the document under its name in the SDK, without what it has of another type. */
const TYPES: readonly { schema: string; name?: string; less?: string }[] = [
  ...["ScheduleId", "OperationId", "AccountId", "ApiKeyId", "Instant", "Status", "Delivery", "Schedule"].map(
    ofDocument,
  ),
  { schema: "RescheduledSchedule", less: "Schedule" },
  { schema: "CreatedSchedule", name: "Created" },
  { schema: "PutSchedule" },
  ...["OccurrenceDelivery", "NextOccurrence", "LeftOut", "Recurrence"].map(ofDocument),
  { schema: "ChangedRecurrence", less: "Recurrence" },
  { schema: "DeletedRecurrence" },
  ...["BulkResult", "AttemptTiming", "Attempts", "LeftAlone", "Operation"].map(ofDocument),
  { schema: "StartedOperation", less: "Operation" },
  ...["LoggedAttempt", "Overview", "Usage", "Punctuality", "SigningSecrets"].map(ofDocument),
  { schema: "RotatedSigningSecrets", less: "SigningSecrets" },
  { schema: "Profile" },
  { schema: "SchedulePage", name: "Page" },
  { schema: "LogPage", less: "SchedulePage" },
];

/** What has a name of its own in the SDK alone: the items of a list, by their type and field. */
const ITEMS = new Map([
  ["BulkResult.accepted", ["AcceptedItem", "An item that has a schedule now."]],
  ["BulkResult.rejected", ["RejectedItem", "An item of which nothing was stored."]],
  ["Attempts.items", ["Attempt", "An attempt of a schedule."]],
]);

const WORDS = new Map([
  [ENVIRONMENTS.join(), "Environment"],
  [REQUEST_METHODS.join(), "Method"],
  [Object.keys(ERROR_STATUS).join(), "ServiceErrorCode"],
]);

/** The text of sdk/src/answers.ts: the types of what the API answers, made from the contract. */
export function writeAnswers(): string {
  const schemas = openApiDocument("https://stopwatch.example.com").components.schemas as Record<string, Schema>;
  const schemaOf = (name: string) => schemas[name] as Schema;
  const declared = TYPES.map(({ schema, name = schema, less }) => {
    const { description = "" } = schemaOf(schema);
    if (name === "Page") return declare("Page<T>", "One page of a list.", pageOf(schemaOf(schema)), name);
    const base = less === "SchedulePage" ? "Page<LoggedAttempt>" : less;
    const own = less ? without(schemaOf(schema), schemaOf(less)) : schemaOf(schema);
    return declare(name, description, own, name, base);
  });
  return [
    "// Written by `npm run fix` from the contract.\n",
    'import type { ServiceErrorCode } from "./error.ts";\n',
    `/** The environment that a key belongs to. */\nexport type Environment = ${union(ENVIRONMENTS)};\n`,
    `/** The method of a schedule's request. */\nexport type Method = ${union(REQUEST_METHODS)};\n`,
    ...declared,
  ].join("\n");
}

function ofDocument(schema: string) {
  return { schema };
}

/** A type, after those of its items. */
function declare(name: string, description: string, schema: Schema, path: string, base?: string): string {
  const parts: string[] = [];
  for (const [field, { items }] of Object.entries(schema.properties ?? {})) {
    const [item, about] = ITEMS.get(`${path}.${field}`) ?? [];
    if (item && about && items) parts.push(declare(item, about, items, item));
  }
  const written = typeOf(schema, path);
  return [...parts, `/** ${description} */\nexport type ${name} = ${base ? `${base} & ` : ""}${written};\n`].join("\n");
}

function typeOf(schema: Schema, path: string): string {
  const { type, items, properties, anyOf, $ref } = schema;
  if ($ref) return nameOf($ref.split("/").at(-1) as string);
  if (anyOf) return anyOf.map((one) => typeOf(one, path)).join(" | ");
  if (schema.enum) return WORDS.get(schema.enum.join()) ?? union(schema.enum);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, path)).join(" | ");
  if (items) return `${ITEMS.get(path)?.[0] ?? bracketed(typeOf(items, path))}[]`;
  if (properties) return objectOf(schema, path);
  return type === "integer" ? "number" : String(type);
}

function objectOf({ properties = {}, required = [] }: Schema, path: string): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? "" : "?";
    return `/** ${schema.description} */\n${name}${mark}: ${typeOf(schema, `${path}.${name}`)};`;
  });
  return `{\n${fields.join("\n").replaceAll(/^/gm, "  ")}\n}`;
}

/** The schema of a page, whose items are of any type. */
function pageOf({ properties, ...page }: Schema): Schema {
  const items = { description: "The items of this page.", items: { type: "T" } };
  return { ...page, properties: { ...properties, items } };
}

function without({ properties = {}, ...schema }: Schema, { properties: known = {} }: Schema): Schema {
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in known))) };
}

const nameOf = (schema: string) => TYPES.find((one) => one.schema === schema)?.name ?? schema;
const union = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(" | ");
const bracketed = (type: string) => (/^[^{]* \| /.test(type) ? `(${type})` : type);
