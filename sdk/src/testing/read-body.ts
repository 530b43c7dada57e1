import { isObject } from "./fields.ts";
import { Refusal, refuseField } from "./refusal.ts";

/** What the body of a call may be. */
export type BodyRule = { isOptional?: boolean; bytesMax?: number; list?: { name: string; max: number } };

const BYTES_MAX = 2 * 1024 * 1024;
const DEPTH_MAX = 64;
const VALUES_MAX = 2_000;

/**
 * The JSON object in the body of a request; an empty one for an empty body that may be empty. Throws UNSUPPORTED_MEDIA_TYPE,
 * PAYLOAD_TOO_LARGE or VALIDATION.
 */
export async function readBody(request: Request, rule: BodyRule): Promise<{ [name: string]: unknown }> {
  const { isOptional = false, bytesMax = BYTES_MAX, list } = rule;
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (!bytes.length && isOptional) return {};
  checkType(request.headers);
  if (bytes.length > bytesMax) throw new Refusal("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
  if (!bytes.length) throw refuseField("", "A JSON body is required.");
  if (!request.headers.has("content-type"))
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", "Content-Type is missing; it must be application/json, in UTF-8.");
  const body = parseJson(bytes);
  const items = list && isObject(body) ? body[list.name] : undefined;
  if (!Array.isArray(items) || !list) checkValues(body, "");
  else checkList(body as { [name: string]: unknown }, items, list);
  if (!isObject(body)) throw refuseField("", "The body must be a JSON object.");
  return body;
}

/** Throws unless the body is empty, or an empty object. */
export async function refuseBody(request: Request): Promise<void> {
  const body = await readBody(request, { isOptional: true, bytesMax: 1024 }).catch((error) => {
    if (error.code === "PAYLOAD_TOO_LARGE") return { "": null };
    throw error;
  });
  if (Object.keys(body).length) throw refuseField("", "The body must be empty.");
}

function checkType(headers: Headers): void {
  const type = headers.get("content-type");
  const coding = headers.get("content-encoding");
  const isIdentity = coding === null || /^\s*identity\s*$/i.test(coding);
  if (!isIdentity || (type !== null && !isUtf8Json(type)))
    throw new Refusal("UNSUPPORTED_MEDIA_TYPE", "The body must be sent as Content-Type: application/json, in UTF-8.");
}

// media-type = type "/" subtype *( OWS ";" OWS [ name "=" ( token / quoted-string ) ] ), RFC 9110, section 8.3.1.
const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+\-.^_`|~\w]+)=([!#$%&'*+\-.^_`|~\w]+|"(?:[^"\\]|\\.)*"))?/y;

function isUtf8Json(contentType: string): boolean {
  const text = contentType.trimEnd();
  const type = /^[ \t]*application\/json(?=[ \t;]|$)/i.exec(text)?.[0];
  if (type === undefined) return false;
  for (let at = type.length; at < text.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const [, name, value = ""] = PARAMETER.exec(text) ?? [];
    if (PARAMETER.lastIndex <= at) return false;
    const bare = value.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1");
    if (name?.toLowerCase() === "charset" && !/^utf-?8$/i.test(bare)) return false;
  }
  return true;
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuseField("", "The body is not valid UTF-8.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw refuseField("", "The body is not valid JSON.");
  }
}

/** Throws for a value that is nested too deep, or has too many names and elements. */
function checkValues(value: unknown, path: string): void {
  if (countValues(value, 0) > VALUES_MAX) throw refuseField(path, `must have at most ${VALUES_MAX} names and elements`);
}

function checkList(body: { [name: string]: unknown }, items: unknown[], { name, max }: { name: string; max: number }) {
  if (items.length > max) throw refuseField(name, `must have at most ${max} items on this plan`);
  for (const [index, item] of items.entries()) checkValues([[item]], `${name}.${index}`);
  checkValues({ ...body, [name]: null }, "");
}

function countValues(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === DEPTH_MAX) throw refuseField("", `must be nested at most ${DEPTH_MAX} levels deep`);
  const children = Object.values(value);
  return children.reduce((sum: number, child) => sum + countValues(child, depth + 1), children.length);
}
