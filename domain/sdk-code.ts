/** The first lines of code that uses the SDK: its import, and a client that reads the API key from the environment. */
export function sdkClientCode(packageName: string): string {
  return `import { Stopwatch } from "${packageName}";\n\nconst client = new Stopwatch(process.env.STOPWATCH_API_KEY);\n`;
}

/**
 * The fields of a call's body as the SDK takes them, each as source code. A JSON payload becomes `json`, if the SDK
 * then sends the same value with the same headers. `keepsHeaders`: a call without `headers` keeps those of another
 * schedule.
 */
export function sdkFields(body: Record<string, unknown>, { keepsHeaders = false } = {}): Record<string, string> {
  const { headers, payload } = body;
  const others = withoutJsonType(headers);
  const isJson = isPlainJson(payload) && (others !== undefined || (keepsHeaders && headers === undefined));
  const fields = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (isJson && name === "payload") return [["json", JSON.parse(payload)]];
    if (!isJson || name !== "headers") return [[name, value]];
    return keepsHeaders || Object.keys(others ?? {}).length > 0 ? [[name, others]] : [];
  });
  return Object.fromEntries(fields.map(([name, value]) => [name, writeLiteral(value, "  ")]));
}

/** An object literal of fields that are source code. `indent` is that of the line in which it begins. */
export function writeFields(fields: Record<string, string>, indent = ""): string {
  const written = Object.entries(fields).map(([name, code]) => `${writeName(name)}: ${code}`);
  return writeList("{ ", written, " }", indent);
}

/** A JSON value as source code of JavaScript, in lines of about 80 characters. */
export function writeLiteral(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLiteral(item, inner));
    return writeList("[", items, "]", indent);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => [name, writeLiteral(field, inner)]);
  return writeFields(Object.fromEntries(fields), indent);
}

const ONE_LINE_MAX = 50;

function writeList(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open.trim() + close.trim();
  const line = open + items.join(", ") + close;
  if (line.length <= ONE_LINE_MAX && !line.includes("\n")) return line;
  return `${open.trim()}\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}${close.trim()}`;
}

/** A field's name as source code. Only a computed `__proto__` defines a field; other forms set the prototype. */
function writeName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The headers besides `Content-Type: application/json`; undefined when that header is missing. */
function withoutJsonType(headers: unknown): Record<string, unknown> | undefined {
  const pairs = Object.entries(headers ?? {});
  const others = pairs.filter(([name, value]) => !(/^content-type$/i.test(name) && value === "application/json"));
  return others.length < pairs.length ? Object.fromEntries(others) : undefined;
}

/** Whether a payload is JSON that differs from its re-serialised form only in white space. */
function isPlainJson(payload: unknown): payload is string {
  if (typeof payload !== "string") return false;
  try {
    return JSON.stringify(JSON.parse(payload)) === payload.replaceAll(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, "$1");
  } catch {
    return false;
  }
}
