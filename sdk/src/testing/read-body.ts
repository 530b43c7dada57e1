import { assertJsonType, requireType } from "../../../contract/inputs/json-type.ts";
import { invalid } from "../../../contract/inputs/validate.ts";
import { AppError } from "../../../domain/errors.ts";

/** What the body of a call may be. */
type BodyRule = { isOptional?: boolean; bytesMax: number; list?: { name: string; max: number } };

const DEPTH_MAX = 64;
const VALUES_MAX = 2_000;

/**
 * The JSON object in the body of a request; an empty one for an empty body that may be empty. Throws UNSUPPORTED_MEDIA_TYPE,
 * PAYLOAD_TOO_LARGE or VALIDATION.
 */
export async function readBody(request: Request, rule: BodyRule): Promise<{ [name: string]: unknown }> {
  const { isOptional = false, bytesMax, list } = rule;
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (!bytes.length && isOptional) return {};
  assertJsonType(request.headers);
  if (bytes.length > bytesMax) throw new AppError("PAYLOAD_TOO_LARGE", `The body must be at most ${bytesMax} bytes.`);
  if (!bytes.length) throw refuseField("", "A JSON body is required.");
  requireType(request.headers);
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

function refuseField(path: string, message: string): AppError {
  return invalid([{ path, message }]);
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
