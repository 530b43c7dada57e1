import { describeDurationProblem, parseDuration } from "../../../domain/duration.ts";
import { ON_CLOCK_CHANGE } from "../../../domain/fire-time.ts";
import { parseCustomHeaders } from "../../../domain/headers.ts";
import { parseInstant } from "../../../domain/instant.ts";
import { describeInstantProblem } from "../../../domain/instant-problem.ts";
import { readLocalTime } from "../../../domain/local-time.ts";
import { describeLocalTimeProblem } from "../../../domain/local-time-problem.ts";
import { REQUEST_METHODS } from "../../../domain/request-methods.ts";
import { isZone } from "../../../domain/zoned-time.ts";

/** The values of a row by field. */
export type Item = { [field in Field]?: unknown };

/** What is wrong with a field. */
export type FieldProblem = { field: Field; message: string };

/**
 * What is wrong with an item for a bulk call, as far as the API would say so without looking at its clock, its plan and
 * the address of the target. Empty when nothing is.
 */
export function findProblems(item: Item): FieldProblem[] {
  const problems = Object.entries(item).flatMap(([field, value]) => {
    const message = CHECKS[field as Field](value);
    return message === undefined ? [] : [{ field: field as Field, message }];
  });
  if (item.targetUrl === undefined) problems.push({ field: "targetUrl", message: "is missing" });
  return [...problems, ...findTimeProblems(item)];
}

/** What a value of each field must be. */
const CHECKS = {
  targetUrl: ofText(targetProblem),
  fireAt: ofText((text) => (parseInstant(text) === null ? describeInstantProblem(text) : undefined)),
  fireIn: ofText((text) => (parseDuration(text) === null ? describeDurationProblem(text) : undefined)),
  fireAtLocal: ofText((text) => (typeof readLocalTime(text) === "string" ? describeLocalTimeProblem(text) : undefined)),
  timezone: ofText((text) => (isZone(text) ? undefined : "must be a zone of the IANA database, such as Europe/Berlin")),
  onClockChange: oneOf(ON_CLOCK_CHANGE),
  payload: ofText((text) => (LONE_SURROGATE.test(text) ? "must be well-formed text" : undefined)),
  method: oneOf(REQUEST_METHODS),
  headers: headersProblem,
  idempotencyKey: ofText((text) =>
    text.length > 0 && [...text].length <= 255 ? undefined : "must have 1 to 255 characters",
  ),
  earlyFire: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  // The service judges what is in it, some of it by the plan.
  delivery: (value) => (typeof value === "object" && !Array.isArray(value) ? undefined : "must be an object"),
} satisfies { [field: string]: (value: unknown) => string | undefined };

/** The fields of a schedule that is created, as the API names them. A test compares them with the contract. */
export const FIELDS = Object.keys(CHECKS) as Field[];

export type Field = keyof typeof CHECKS;

const LONE_SURROGATE = /\p{Cs}/u;

function ofText(check: (text: string) => string | undefined): (value: unknown) => string | undefined {
  return (value) => (typeof value === "string" ? check(value) : "must be a string");
}

function oneOf(values: readonly string[]): (value: unknown) => string | undefined {
  return (value) => (values.some((one) => one === value) ? undefined : `must be one of ${values.join(", ")}`);
}

function targetProblem(text: string): string | undefined {
  if (text.length > 2_048) return "must have at most 2,048 characters";
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text))
    return 'must be an address such as "https://example.com/hook"';
  const { username, password } = new URL(text);
  return username === "" && password === "" ? undefined : "must have no credentials";
}

function headersProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be an object of strings";
  const parsed = parseCustomHeaders(value as Record<string, string>);
  if (parsed.ok) return undefined;
  const [{ path, message } = { path: "", message: "" }] = parsed.problems;
  return path === "headers" ? message : `${path.slice("headers.".length)}: ${message}`;
}

const TIMES = ["fireAt", "fireIn", "fireAtLocal"] as const;

function findTimeProblems(item: Item): FieldProblem[] {
  const [first, ...others] = TIMES.filter((field) => item[field] !== undefined);
  if (first === undefined) return [{ field: "fireAt", message: `is missing, or another time: ${GIVE_ONE}` }];
  const problems: FieldProblem[] = others.map((field) => ({
    field,
    message: `cannot stand beside ${first}: ${GIVE_ONE}`,
  }));
  const beside = (["timezone", "onClockChange"] as const).filter((field) => item[field] !== undefined);
  if (item.fireAtLocal === undefined) {
    return [...problems, ...beside.map((field) => ({ field, message: "goes with fireAtLocal, which is missing" }))];
  }
  return beside.includes("timezone") ? problems : [...problems, WITHOUT_ZONE];
}

const WITHOUT_ZONE = { field: "timezone", message: "is missing beside fireAtLocal, such as Europe/Berlin" } as const;
const GIVE_ONE =
  'give one of fireAt ("2031-01-01T09:00:00Z"), fireIn ("90s") and fireAtLocal ("2031-01-01T09:00") with timezone';
