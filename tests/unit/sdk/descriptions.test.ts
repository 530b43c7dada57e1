import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "#server/reference/openapi.ts";

type Described = { description?: string; properties?: Record<string, Described>; items?: Described } & Record<
  string,
  unknown
>;

const { paths, components } = openApiDocument("https://stopwatch.example.com");
const schemas = components.schemas as Record<string, Described>;

/** The fields of a type in sdk/src/types.ts, those of the types that it is made of included: name → its comments. */
async function fieldsOf(type: string): Promise<Map<string, Set<string>>> {
  const source = await readFile(new URL("../../../sdk/src/types.ts", import.meta.url), "utf8");
  const fields = new Map<string, Set<string>>();
  const visited = new Set<string>();
  const visit = (name: string) => {
    const declared = new RegExp(`^(?:export )?type ${name}(?:<.*?>)? =([\\s\\S]*?);\n(?=\n|$)`, "m").exec(source)?.[1];
    if (declared === undefined || visited.has(name)) return;
    visited.add(name);
    for (const [, text = "", field = ""] of declared.matchAll(/\/\*\* (.*) \*\/\n\s*(\w+)\??:/g)) {
      fields.set(field, (fields.get(field) ?? new Set()).add(text));
    }
    for (const [other] of declared.replace(/\/\*\*.*\*\//g, "").matchAll(/[A-Z]\w+/g)) visit(other);
  };
  visit(type);
  return fields;
}

/** The fields of a schema of the document, at every depth: name → its descriptions. */
function describedIn(schema: Described, found = new Map<string, Set<string>>(), seen = new Set<unknown>()) {
  if (seen.has(schema)) return found;
  seen.add(schema);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.description !== undefined) found.set(name, (found.get(name) ?? new Set()).add(field.description));
    describedIn(field, found, seen);
  }
  const {
    $ref,
    items,
    anyOf = [],
    allOf = [],
  } = schema as { $ref?: string; anyOf?: Described[]; allOf?: Described[] } & Described;
  const referred = $ref === undefined ? [] : [schemas[$ref.split("/").at(-1) ?? ""] as Described];
  for (const part of [...referred, ...(items ? [items] : []), ...anyOf, ...allOf]) describedIn(part, found, seen);
  return found;
}

type Operation = {
  requestBody?: { content: { "application/json": { schema: Described } } };
  parameters?: { in: string; name: string; description: string }[];
};

const operation = (method: string, path: string) => (paths[path] as Record<string, Operation>)[method] as Operation;
const bodyOf = (method: string, path: string) =>
  describedIn(operation(method, path).requestBody?.content["application/json"].schema as Described);
const queryOf = (path: string) =>
  new Map(
    (operation("get", path).parameters ?? [])
      .filter((parameter) => parameter.in === "query" && parameter.name !== "env")
      .map(({ name, description }) => [name, new Set([description])]),
  );

const INPUTS = [
  ["CreateInput", bodyOf("post", "/v1/schedules")],
  ["PutInput", bodyOf("put", "/v1/schedules/by-key/{key}")],
  ["RescheduleInput", bodyOf("patch", "/v1/schedules/{id}")],
  ["ReplayInput", bodyOf("post", "/v1/schedules/{id}/replay")],
  ["CloneInput", bodyOf("post", "/v1/schedules/{id}/clone")],
  ["RecurrenceInput", bodyOf("put", "/v1/recurrences/{key}")],
  ["PauseInput", bodyOf("post", "/v1/recurrences/{key}/pause")],
  ["OperationInput", bodyOf("post", "/v1/operations")],
  ["ScheduleFilter", queryOf("/v1/schedules")],
  ["LogFilter", queryOf("/v1/logs")],
  ["RecurrenceFilter", queryOf("/v1/recurrences")],
  ["OperationFilter", queryOf("/v1/operations")],
  ["OverviewFilter", queryOf("/v1/overview")],
] as const;

describe("every field of what the SDK sends has the description of the contract", () => {
  test.each(INPUTS)("%s", async (type, contract) => {
    expect(contract.size).toBeGreaterThan(0);
    const fields = await fieldsOf(type);
    // What the SDK has for convenience.
    fields.delete("json");
    expect(fields).toEqual(contract);
  });
});
