import type { TypedTime } from "./chosen-time.ts";
import { parseCustomHeaders } from "./headers.ts";

/** The methods of a schedule's request, in the order in which they are offered. */
export const DRAFT_METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE"] as const;

/** A schedule as it stands in the form: all as it was typed. */
export type ScheduleDraft = TypedTime & {
  method: string;
  url: string;
  /** Rows, empty ones included. */
  headers: readonly DraftHeader[];
  payload: string;
  /** JSON is judged before it is sent. */
  payloadKind: "json" | "text";
  earlyFire: boolean;
  idempotencyKey: string;
  /** Of a clone: send what the original sent, in place of what is typed here. */
  keepsHeaders: boolean;
  keepsPayload: boolean;
};

export type DraftHeader = { name: string; value: string };

/** What is wrong with a field; `field` is the `id` of its control. */
export type DraftProblem = { field: string; message: string };

/** What sending the form came to: where to go on, or all that was typed and what is wrong with it. */
export type DraftAnswer =
  | { href: string }
  | {
      draft: ScheduleDraft;
      /** The form's own, so that what is sent again is stored once. */
      formKey: string;
      problems: readonly DraftProblem[];
      /** What is wrong besides the fields. */
      failure: string | null;
      /** The page of the schedule that holds the idempotency key, which was stored for another request. */
      existingHref?: string;
      isSignedOut?: boolean;
    };

export const HEADER_ROWS_MAX = 50;

/** An empty draft, in a zone. */
export function emptyDraft(zone: string): ScheduleDraft {
  return {
    ...{ words: "in 5m", at: "", zone, occurrence: "first" },
    ...{ method: "POST", url: "" },
    headers: [
      { name: "Content-Type", value: "application/json" },
      { name: "", value: "" },
    ],
    ...{ payload: "", payloadKind: "json", earlyFire: false, idempotencyKey: "" },
    ...{ keepsHeaders: false, keepsPayload: false },
  };
}

/**
 * The draft that a form's fields are. Forms send line breaks as CRLF (HTML, "multipart/form-data encoding algorithm"): they
 * become LF again, as they stood in the field.
 */
export function readDraft(fields: { get(name: string): unknown; getAll(name: string): unknown[] }): ScheduleDraft {
  const text = (name: string) => textOf(fields.get(name));
  const values = fields.getAll("headerValue").map(textOf);
  const headers = fields
    .getAll("headerName")
    .slice(0, HEADER_ROWS_MAX)
    .map((name, at) => ({ name: textOf(name), value: values[at] ?? "" }));
  return {
    ...{ words: text("words"), at: text("at"), zone: text("zone") },
    occurrence: text("occurrence") === "second" ? "second" : "first",
    method: DRAFT_METHODS.find((method) => method === text("method")) ?? "POST",
    url: text("url"),
    headers,
    payload: text("payload").replaceAll("\r\n", "\n"),
    payloadKind: text("payloadKind") === "text" ? "text" : "json",
    earlyFire: text("earlyFire") === "1",
    idempotencyKey: text("idempotencyKey"),
    keepsHeaders: text("keepsHeaders") === "1",
    keepsPayload: text("keepsPayload") === "1",
  };
}

/** The rows in which something stands, as pairs. */
export function headerPairs(headers: readonly DraftHeader[]): [string, string][] {
  return headers
    .filter(({ name, value }) => name !== "" || value !== "")
    .map(({ name, value }) => [name.trim(), value]);
}

/** What is wrong with header rows and payload. What the API judges besides (time, target) is not looked at. */
export function draftProblems(draft: ScheduleDraft, payloadBytesMax: number): DraftProblem[] {
  const { headers, payload, payloadKind, keepsHeaders, keepsPayload } = draft;
  return [
    ...(keepsHeaders ? [] : headerProblems(headers)),
    ...(keepsPayload ? [] : payloadProblems(payload, payloadKind, payloadBytesMax)),
  ];
}

/** UTF-8 bytes of a text. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function headerProblems(headers: readonly DraftHeader[]): DraftProblem[] {
  const problems: DraftProblem[] = [];
  const seen = new Set<string>();
  for (const [at, { name: typed, value }] of headers.entries()) {
    const name = typed.trim();
    if (name === "" && value === "") continue;
    const judged = parseCustomHeaders(Object.fromEntries([[name, value]]));
    const message =
      name === ""
        ? "This header has no name."
        : !judged.ok
          ? `${name.slice(0, 60)} ${judged.problems[0]?.message}.`
          : seen.has(name.toLowerCase())
            ? `${name.slice(0, 60)} is given twice.`
            : null;
    if (message !== null) problems.push({ field: `header-${at}`, message });
    seen.add(name.toLowerCase());
  }
  if (problems.length > 0) return problems;
  const judged = parseCustomHeaders(Object.fromEntries(headerPairs(headers)));
  return judged.ok ? [] : [{ field: "header-0", message: `Headers ${judged.problems[0]?.message}.` }];
}

function payloadProblems(payload: string, kind: "json" | "text", bytesMax: number): DraftProblem[] {
  const bytes = byteLength(payload);
  if (bytes > bytesMax) {
    return [
      { field: "payload", message: `The payload has ${count(bytes)} bytes. The plan allows ${count(bytesMax)}.` },
    ];
  }
  if (kind === "text" || payload === "" || isJson(payload)) return [];
  return [{ field: "payload", message: "This is not valid JSON. Choose Text to send it as it is." }];
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : "");

const count = (n: number) => new Intl.NumberFormat("en-US").format(n);
