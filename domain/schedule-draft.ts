import type { TypedTime } from "./chosen-time.ts";
import { type DeliveryText, NO_DELIVERY_TEXT, readDeliveryText, type WrittenDelivery } from "./delivery-text.ts";
import { parseCustomHeaders } from "./headers.ts";
import { REQUEST_METHODS } from "./request-methods.ts";

/** The methods of a schedule's request, in the order in which they are offered. */
export const DRAFT_METHODS = ["POST", ...REQUEST_METHODS.filter((method) => method !== "POST")] as const;

/** The fields of a request and its options in a form, as they were typed. */
export type RequestDraft = DeliveryText & {
  method: string;
  url: string;
  /** Rows, empty ones included. */
  headers: readonly DraftHeader[];
  payload: string;
  /** `json`: the payload must be valid JSON. */
  payloadKind: "json" | "text";
  earlyFire: boolean;
  /** Send the stored headers or payload, of a schedule that is cloned or a recurrence that is changed, instead of the typed ones. */
  keepsHeaders: boolean;
  keepsPayload: boolean;
};

/** The fields of the form of a new schedule. */
export type ScheduleDraft = TypedTime & RequestDraft & { idempotencyKey: string };

export type DraftHeader = { name: string; value: string };

/** The error of a field; `field` is the `id` of its control. */
export type DraftProblem = { field: string; message: string };

/** The answer to the form: the page to go to, or the typed fields with their errors. */
export type DraftAnswer<Draft = ScheduleDraft> = { href: string } | FailedDraft<Draft>;

/** The answer to a form that stored nothing. */
export type FailedDraft<Draft = ScheduleDraft> = {
  draft: Draft;
  /** Identifies this form: sending it again with the same content stores nothing more. */
  formKey: string;
  problems: readonly DraftProblem[];
  /** An error that belongs to no field. */
  failure: string | null;
  /** The page of what was stored with the same key for another request. */
  existingHref?: string;
  isSignedOut?: boolean;
};

export const HEADER_ROWS_MAX = 50;

/** The draft of an empty form. */
export function emptyDraft(zone: string): ScheduleDraft {
  return { words: "in 5m", at: "", zone, occurrence: "first", ...EMPTY_REQUEST, idempotencyKey: "" };
}

export const EMPTY_REQUEST: RequestDraft = {
  method: "POST",
  url: "",
  headers: [
    { name: "Content-Type", value: "application/json" },
    { name: "", value: "" },
  ],
  payload: "",
  payloadKind: "json",
  earlyFire: false,
  ...NO_DELIVERY_TEXT,
  keepsHeaders: false,
  keepsPayload: false,
};

/** The fields of a form that was posted. */
export type FormFields = { get(name: string): unknown; getAll(name: string): unknown[] };

/** Reads the draft from a form's fields. */
export function readDraft(fields: FormFields): ScheduleDraft {
  const text = (name: string) => textOf(fields.get(name));
  return {
    words: text("words"),
    at: text("at"),
    zone: text("zone"),
    occurrence: text("occurrence") === "second" ? "second" : "first",
    ...readRequestDraft(fields),
    idempotencyKey: text("idempotencyKey"),
  };
}

/**
 * Reads the request from a form's fields. Browsers send line breaks as CRLF (HTML, "multipart/form-data encoding
 * algorithm"): they become LF again.
 */
export function readRequestDraft(fields: FormFields): RequestDraft {
  const text = (name: string) => textOf(fields.get(name));
  const values = fields.getAll("headerValue").map(textOf);
  const headers = fields
    .getAll("headerName")
    .slice(0, HEADER_ROWS_MAX)
    .map((name, at) => ({ name: textOf(name), value: values[at] ?? "" }));
  return {
    method: DRAFT_METHODS.find((method) => method === text("method")) ?? "POST",
    url: text("url"),
    headers,
    payload: text("payload").replaceAll("\r\n", "\n"),
    payloadKind: text("payloadKind") === "text" ? "text" : "json",
    earlyFire: text("earlyFire") === "1",
    ...{ timeout: text("timeout"), retryDelays: text("retryDelays"), giveUp: text("giveUp"), expires: text("expires") },
    keepsHeaders: text("keepsHeaders") === "1",
    keepsPayload: text("keepsPayload") === "1",
  };
}

/** The field of the form, and what it is called there, for each path of the API's errors that is about the request. */
export const REQUEST_NAMES: [path: string, [field: string, name: string]][] = [
  ["targetUrl", ["url", "The URL"]],
  ["payload", ["payload", "The payload"]],
  ["retryDelaysMs", ["retryDelays", "The list"]],
  ["giveUpStatuses", ["giveUp", "The list"]],
  ["expiresAt", ["expires", "The expiry"]],
  ["expiresIn", ["expires", "The expiry"]],
];

/** The rows that are not empty, as pairs. */
export function headerPairs(headers: readonly DraftHeader[]): [string, string][] {
  return headers
    .filter(({ name, value }) => name !== "" || value !== "")
    .map(({ name, value }) => [name.trim(), value]);
}

/** The options of a draft but for early firing, as the API takes them. Those that are by the account's settings are left out. */
export function draftOptions(draft: Omit<RequestDraft, "earlyFire">): { delivery?: WrittenDelivery } {
  const { delivery } = readDeliveryText(draft);
  return { ...(delivery && { delivery }) };
}

/** The errors of header rows, payload and delivery options. Time and target are not checked: creating the schedule checks them. */
export function draftProblems(draft: RequestDraft, payloadBytesMax: number): DraftProblem[] {
  const { headers, payload, payloadKind, keepsHeaders, keepsPayload } = draft;
  return [
    ...(keepsHeaders ? [] : headerProblems(headers)),
    ...(keepsPayload ? [] : payloadProblems(payload, payloadKind, payloadBytesMax)),
    ...readDeliveryText(draft).problems,
  ];
}

/** Whether two URLs have the same scheme, host and port. A text that is no URL has none. */
export function isSameOrigin(a: string, b: string): boolean {
  const [first, second] = [a, b].map((url) => (URL.canParse(url.trim()) ? new URL(url.trim()).origin : null));
  return first !== null && first === second;
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
    const parsed = parseCustomHeaders(Object.fromEntries([[name, value]]));
    const message =
      name === ""
        ? "This header has no name."
        : !parsed.ok
          ? `${name.slice(0, 60)} ${parsed.problems[0]?.message}.`
          : seen.has(name.toLowerCase())
            ? `${name.slice(0, 60)} is given twice.`
            : null;
    if (message !== null) problems.push({ field: `header-${at}`, message });
    seen.add(name.toLowerCase());
  }
  if (problems.length > 0) return problems;
  const parsed = parseCustomHeaders(Object.fromEntries(headerPairs(headers)));
  return parsed.ok ? [] : [{ field: "header-0", message: `Headers ${parsed.problems[0]?.message}.` }];
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

export const textOf = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : "");

const count = (n: number) => new Intl.NumberFormat("en-US").format(n);
