import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { openApiDocument } from "#server/reference/openapi.ts";

/** The parts of an answer that the document describes. */
export type Documented = { status: number; headers: Headers; body: unknown };

type Operation = { responses: Record<string, Response | { $ref: string }> };
type Response = { headers?: Record<string, { required?: boolean } | { $ref: string }>; content?: object };

/** The document as a caller reads it. */
export const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument("https://api.example.com")));

/**
 * Throws unless the document describes this answer: its status under this path and method, every field of its body with
 * no further ones, and the headers that it promises.
 */
export function assertDocumented(method: string, path: string, { status, headers, body }: Documented): void {
  const where = `${method} ${path} answered ${status}, and the document`;
  const response = describedAnswer(method, path, status);
  if (response === undefined) throw new Error(`${where} does not know that`);
  for (const [name, header] of Object.entries(response.value.headers ?? {})) {
    if (!resolve<{ required?: boolean }>(header).value.required || headers.has(name)) continue;
    throw new Error(`${where} promises ${name}`);
  }
  if (method === "HEAD") return;
  if (response.value.content && "text/event-stream" in response.value.content) return;
  if (!response.value.content) {
    if (body !== undefined) throw new Error(`${where} knows no body`);
    return;
  }
  const isAsDescribed = validator(`${response.pointer}/content/application~1json/schema`);
  if (!isAsDescribed(body)) throw new Error(`${where} says: ${ajv.errorsText(isAsDescribed.errors)}`);
}

/** The document with every object closed. An answer may gain fields within v1, but each must be described. */
function closed(document: object): object {
  return JSON.parse(JSON.stringify(document), (_, value) => {
    const isObject = value?.type === "object" && value.properties && value.additionalProperties === undefined;
    return isObject && !isPartOfError(value) ? { ...value, additionalProperties: false } : value;
  });
}

// It describes the specific error beside the common schema.
function isPartOfError({ properties }: { properties: { error?: { additionalProperties?: boolean } } }): boolean {
  return properties.error?.additionalProperties === true;
}

/** Throws unless `value` is valid by the schema at `pointer` of the document. */
export function assertSchema(pointer: string, value: unknown): void {
  const fits = validator(pointer);
  if (!fits(value)) throw new Error(`${pointer}: ${ajv.errorsText(fits.errors)}`);
}

// Keywords such as `examples` and `const` beside `$ref` are known. Any other one would be a mistake in the document.
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
addFormats.default(ajv);
// Schemas of OpenAPI may have it; it asserts nothing.
ajv.addVocabulary([...Object.keys(DOCUMENT), "externalDocs"]);
ajv.addSchema(closed(DOCUMENT), "document");

const validators = new Map<string, ReturnType<typeof ajv.compile>>();

function validator(pointer: string) {
  const made = validators.get(pointer) ?? ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
  validators.set(pointer, made);
  return made;
}

function describedAnswer(method: string, path: string, status: number) {
  if (method === "OPTIONS" && status === 204) return { pointer: "", value: {} as Response };
  const matching = ENDPOINTS.filter((one) => new RegExp(`^${one.path.replace(/\{\w+\}/, "[^/]+")}$`).test(path));
  // A literal segment is matched before a parameter in its place.
  const literal = (one: { path: string }) => `${one.path}{`.indexOf("{");
  const most = Math.max(...matching.map(literal));
  const described = matching.filter((one) => literal(one) === most);
  const one = described.find((each) => each.method === (method === "HEAD" ? "GET" : method));
  if (one === undefined) return resolveError(described.length > 0 ? 405 : 404, status);
  const operation: Operation = DOCUMENT.paths[one.path][one.method.toLowerCase()];
  const response = operation.responses[status];
  const pointer = `/paths/${one.path.replaceAll("/", "~1")}/${one.method.toLowerCase()}/responses/${status}`;
  return response && resolve<Response>(response, pointer);
}

// A path or method that the document does not have.
function resolveError(expected: 404 | 405, status: number) {
  if (status !== expected) return undefined;
  const pointer = `/components/responses/${expected === 404 ? "NOT_FOUND" : "METHOD_NOT_ALLOWED"}`;
  return resolve<Response>({ $ref: `#${pointer}` });
}

function resolve<T extends object>(value: T | { $ref: string }, pointer = ""): { pointer: string; value: T } {
  if (!("$ref" in value)) return { pointer, value };
  const target = value.$ref.slice(1);
  const found = target
    .split("/")
    .slice(1)
    .reduce((at, key) => at[key.replaceAll("~1", "/")], DOCUMENT);
  return { pointer: target, value: found };
}
