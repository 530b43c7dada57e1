import type { Schema } from "./alternatives.ts";
import { compareSchemas, type Direction, type Versions } from "./compare-schemas.ts";
import { type Document, type Part, resolve } from "./resolve.ts";
import { difference } from "./sets.ts";

/**
 * What a program written for the `released` OpenAPI document would notice of the `current` one: whatever was removed,
 * narrowed or is newly required, each as a sentence that begins with its place. Empty when there is nothing. Additions
 * are allowed (scripts/release/README.md). Parts are compared where they are used, so a component may be renamed.
 */
export function compareDocuments(released: Document, current: Document): string[] {
  const versions = { released, current };
  return [
    ...compareOperations(versions, "paths", "request"),
    // What a target receives is sent by the service, and what it answers is understood by it.
    ...compareOperations(versions, "webhooks", "response"),
  ];
}

/** `takes`: who makes what the operation takes. The other one makes its answers. */
function compareOperations(versions: Versions, group: "paths" | "webhooks", takes: Direction): string[] {
  const [before, now] = both(versions, (document) => operationsOf(document, group));
  return [...before].flatMap(([key, old]) => {
    const found = now.get(key);
    return found
      ? compareOperation(versions, takes, old.name, old.operation, found.operation)
      : [`${old.name}: is removed`];
  });
}

type Named = { name: string; operation: Part };

/** Operations by method and path, in which the names of path parameters do not count. */
function operationsOf(document: Document, group: string): Map<string, Named> {
  const found = new Map<string, Named>();
  for (const [path, value] of Object.entries((document[group] ?? {}) as Part)) {
    const { parameters = [], ...item } = resolve(document, value);
    for (const method of METHODS.filter((one) => one in item)) {
      const own = item[method] as Part;
      const operation = {
        security: document.security ?? [],
        ...own,
        parameters: [...(parameters as Part[]), ...((own.parameters ?? []) as Part[])],
        template: path,
      };
      const name = `${method.toUpperCase()} ${path}`;
      found.set(`${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`, { name, operation });
    }
  }
  return found;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

function compareOperation(versions: Versions, takes: Direction, name: string, old: Part, now: Part): string[] {
  const answers = takes === "request" ? "response" : "request";
  const [oldAnswers, nowAnswers] = both({ released: old, current: now }, (one) => (one.responses ?? {}) as Part);
  return [
    ...(old.operationId === undefined || old.operationId === now.operationId
      ? []
      : [`${name}: operationId is ${now.operationId} instead of ${old.operationId}`]),
    ...compareSecurity(versions, name, old, now),
    ...compareParameters(versions, takes, name, old, now),
    ...compareBody(versions, takes, name, old, now),
    ...Object.entries(oldAnswers).flatMap(([status, answer]) => {
      const at = `${name}, ${status}`;
      const [before, after] = [resolve(versions.released, answer), resolve(versions.current, nowAnswers[status])];
      if (nowAnswers[status] === undefined) return [`${at}: is removed`];
      return [
        ...compareContent(versions, answers, at, before, after),
        ...compareHeaders(versions, answers, at, before, after),
      ];
    }),
  ];
}

function compareParameters(versions: Versions, direction: Direction, name: string, old: Part, now: Part): string[] {
  const before = parametersOf(versions.released, old);
  const after = parametersOf(versions.current, now);
  const removed = [...before].flatMap(([key, one]) => {
    const at = `${name}, ${one.in} parameter ${one.name}`;
    const found = after.get(key);
    if (found === undefined) return [`${at}: is removed`];
    return [
      ...comparePresence(direction, at, one, found),
      ...["style", "explode"]
        .filter((keyword) => one[keyword] !== found[keyword])
        .map((keyword) => `${at}: ${keyword} is ${found[keyword]} instead of ${one[keyword]}`),
      ...compareValue(versions, direction, at, one, found),
    ];
  });
  if (direction === "response") return removed;
  const added = [...after].filter(([key, one]) => !before.has(key) && one.required === true);
  return [...removed, ...added.map(([, one]) => `${name}, ${one.in} parameter ${one.name}: is required now`)];
}

/** The last one of a name counts: an operation may replace a parameter of its path. Path parameters go by position. */
function parametersOf(document: Document, operation: Part): Map<string, Part> {
  const inTemplate = [...String(operation.template).matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  const found = (operation.parameters as Part[]).map((one) => resolve(document, one));
  return new Map(
    found.map((one) => {
      const name = String(one.name);
      if (one.in === "path") return [`path ${inTemplate.indexOf(name)}`, one];
      return [`${one.in} ${one.in === "header" ? name.toLowerCase() : name}`, one];
    }),
  );
}

function compareBody(versions: Versions, direction: Direction, name: string, old: Part, now: Part): string[] {
  const at = `${name}, body`;
  const [before, after] = [resolve(versions.released, old.requestBody), resolve(versions.current, now.requestBody)];
  if (old.requestBody === undefined) {
    return direction === "request" && after.required === true ? [`${at}: is required now`] : [];
  }
  if (now.requestBody === undefined) return [`${at}: is removed`];
  return [...comparePresence(direction, at, before, after), ...compareContent(versions, direction, at, before, after)];
}

function compareHeaders(versions: Versions, direction: Direction, place: string, old: Part, now: Part): string[] {
  const [before, after] = [headersOf(versions.released, old), headersOf(versions.current, now)];
  return [...before].flatMap(([key, header]) => {
    const at = `${place}, header ${header.name}`;
    const found = after.get(key);
    if (found === undefined) return [`${at}: is removed`];
    return [...comparePresence(direction, at, header, found), ...compareValue(versions, direction, at, header, found)];
  });
}

function headersOf(document: Document, answer: Part): Map<string, Part> {
  const headers = Object.entries((answer.headers ?? {}) as Part);
  return new Map(headers.map(([name, header]) => [name.toLowerCase(), { ...resolve(document, header), name }]));
}

function comparePresence(direction: Direction, place: string, old: Part, now: Part): string[] {
  const [before, after] = [old.required === true, now.required === true];
  if (direction === "request") return after && !before ? [`${place}: is required now`] : [];
  return before && !after ? [`${place}: can be absent now`] : [];
}

/** What a parameter or a header holds: it has a schema, or content with a media type. */
function compareValue(versions: Versions, direction: Direction, place: string, old: Part, now: Part): string[] {
  if (old.content !== undefined) return compareContent(versions, direction, place, old, now);
  return compareSchemas(versions, direction, place, (old.schema ?? true) as Schema, (now.schema ?? true) as Schema);
}

function compareContent(versions: Versions, direction: Direction, place: string, old: Part, now: Part): string[] {
  const [before, after] = both(
    { released: old, current: now },
    ({ content }) => (content ?? {}) as Record<string, Part>,
  );
  return Object.entries(before).flatMap(([type, { schema = true }]) => {
    const found = after[type];
    if (found === undefined) return [`${place}: ${type} is removed`];
    return compareSchemas(versions, direction, place, schema as Schema, (found.schema ?? true) as Schema);
  });
}

/** Each set of credentials that was enough has to be enough. */
function compareSecurity({ released, current }: Versions, name: string, old: Part, now: Part): string[] {
  const [before, after] = [credentialsOf(released, old), credentialsOf(current, now)];
  return before
    .filter((had) => !after.some((needed) => difference(needed, had).length === 0))
    .map((had) => `${name}: ${had.size === 0 ? "no credential" : [...had].join(" and ")} is not enough now`);
}

/** The ways to be let in, each with all of what it needs: schemes as they are used, whatever they are called. */
function credentialsOf(document: Document, operation: Part): Set<string>[] {
  const ways = operation.security as Record<string, string[]>[];
  const schemes = ((document.components ?? {}) as Part).securitySchemes as Record<string, Part> | undefined;
  if (ways.length === 0) return [new Set()];
  return ways.map(
    (way) =>
      new Set(
        Object.entries(way).flatMap(([id, scopes]) => {
          const { description: _, ...scheme } = resolve(document, schemes?.[id]);
          const what = Object.values(scheme).map((value) =>
            typeof value === "string" ? value : JSON.stringify(value),
          );
          return [what.join(" "), ...scopes.map((scope) => `${what.join(" ")} with ${scope}`)];
        }),
      ),
  );
}

function both<From, To>({ released, current }: { released: From; current: From }, read: (from: From) => To): [To, To] {
  return [read(released), read(current)];
}
