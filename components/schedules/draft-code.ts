import type { TimeField } from "#domain/chosen-time.ts";
import { type DeliveryText, NO_DELIVERY_TEXT } from "#domain/delivery-text.ts";
import { draftOptions, headerPairs, isSameOrigin, type ScheduleDraft } from "#domain/schedule-draft.ts";
import { sdkClientCode, sdkFields, writeFields } from "#domain/sdk-code.ts";
import { type CodePiece, codeText, keepInstants } from "../ui/code-piece.ts";

/** How many characters of a payload are shown; the copied text has all of them. */
const SHOWN_PAYLOAD_MAX = 600;

export type DraftCode = { shown: CodePiece[]; copied: string };

/** The schedule that a clone is made from. */
export type Original = { id: string; targetUrl: string; delivery: DeliveryText };

const DELIVERY_FIELDS = Object.keys(NO_DELIVERY_TEXT) as (keyof DeliveryText)[];

/** An API call that stores a draft: URL, body, and method of the SDK. */
export type DraftCall = {
  url: string;
  body: Record<string, unknown>;
  method: "create" | "replay" | "clone";
  /** The id of the schedule to replay or clone. */
  from: string;
};

/** The API call that stores a draft. Null when no call can store it. */
export function draftCall(
  draft: ScheduleDraft,
  {
    baseUrl,
    original,
    time,
    isEarlyByDefault,
  }: { baseUrl: string; original?: Original | undefined; time: TimeField; isEarlyByDefault: boolean },
): DraftCall | null {
  const pairs = headerPairs(draft.headers);
  const headers = pairs.length > 0 ? { headers: Object.fromEntries(pairs) } : {};
  const key = draft.idempotencyKey === "" ? {} : { idempotencyKey: draft.idempotencyKey };
  if (original !== undefined) {
    const { id: from, targetUrl: originalUrl } = original;
    const { keepsPayload, keepsHeaders, payload } = draft;
    const targetUrl = draft.url.trim();
    const isElsewhere = targetUrl !== originalUrl;
    const keepsDelivery = DELIVERY_FIELDS.every((field) => draft[field].trim() === original.delivery[field]);
    // The API sends nothing that is stored to another target.
    if (isElsewhere && (keepsPayload || (keepsHeaders && isSameOrigin(targetUrl, originalUrl)))) return null;
    const url = `${baseUrl}/v1/schedules/${from}`;
    if (keepsPayload && keepsHeaders && keepsDelivery) {
      return { url: `${url}/replay`, body: { ...time, ...key }, method: "replay", from };
    }
    if (keepsPayload) return null;
    return {
      url: `${url}/clone`,
      body: {
        ...time,
        ...(isElsewhere ? { targetUrl } : {}),
        payload,
        ...(keepsHeaders ? {} : { headers: {}, ...headers }),
        ...(keepsDelivery ? {} : { delivery: null, ...draftOptions(draft) }),
        ...key,
      },
      method: "clone",
      from,
    };
  }
  return {
    url: `${baseUrl}/v1/schedules`,
    body: {
      targetUrl: draft.url.trim() || "https://example.com/hooks/trial-ends",
      method: draft.method,
      ...time,
      ...headers,
      ...(draft.payload === "" ? {} : { payload: draft.payload }),
      ...(draft.earlyFire === isEarlyByDefault ? {} : { earlyFire: draft.earlyFire }),
      ...draftOptions(draft),
      ...key,
    },
    method: "create",
    from: "",
  };
}

/** The call as a curl command for a POSIX shell. */
export function curlOf({ url, body }: Pick<DraftCall, "url" | "body">): DraftCode {
  return written(
    body,
    `curl ${url} \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '`,
    (json) => json.replaceAll("'", "'\\''").replaceAll("\n", "\n  "),
    "'",
  );
}

/** The call as JavaScript with fetch. */
export function fetchOf({ url, body }: Pick<DraftCall, "url" | "body">): DraftCode {
  return written(
    body,
    `await fetch("${url}", {\n  method: "POST",\n  headers: {\n    Authorization: \`Bearer \${process.env.STOPWATCH_API_KEY}\`,\n    "Content-Type": "application/json",\n  },\n  body: JSON.stringify(`,
    (json) => json.replaceAll("\n", "\n  "),
    "),\n});",
  );
}

/** The call by the SDK, as JavaScript. */
export function sdkOf({ body, method, from }: DraftCall, packageName: string): DraftCode {
  const fields = sdkFields(body, { keepsHeaders: method === "clone" });
  const call = from === "" ? `${method}(` : `${method}(${JSON.stringify(from)}, `;
  const before = `${sdkClientCode(packageName)}\nawait client.schedules.${call}`;
  const cut = Object.entries(fields).map(([name, code]) => {
    const isLong = /^(payload|json)$/.test(name) && code.length > SHOWN_PAYLOAD_MAX;
    return [name, isLong ? `${code.slice(0, SHOWN_PAYLOAD_MAX).toWellFormed()}…` : code];
  });
  return {
    shown: withStrings([before, ...piecesOf(writeFields(Object.fromEntries(cut)), body, (name) => `${name}: `), ");"]),
    copied: `${before}${writeFields(fields)});`,
  };
}

function written(
  body: Record<string, unknown>,
  before: string,
  quote: (json: string) => string,
  after: string,
): DraftCode {
  const text = (value: Record<string, unknown>) => quote(JSON.stringify(value, null, 2));
  const { payload } = body;
  const isLong = typeof payload === "string" && payload.length > SHOWN_PAYLOAD_MAX;
  const shown = isLong ? { ...body, payload: `${payload.slice(0, SHOWN_PAYLOAD_MAX).toWellFormed()}…` } : body;
  return {
    shown: withStrings([before, ...piecesOf(text(shown), body, (name) => `"${name}": `), after]),
    copied: `${before}${text(body)}${after}`,
  };
}

/** The body as code, in pieces: the value of its time is the piece "instant". */
function piecesOf(code: string, { fireAt, fireIn }: Record<string, unknown>, label: (name: string) => string) {
  const [name, time] = fireIn === undefined ? ["fireAt", fireAt] : ["fireIn", fireIn];
  const text = JSON.stringify(time);
  const at = code.indexOf(text, code.indexOf(label(name)));
  const pieces: CodePiece[] = [code.slice(0, at), { text, as: "instant" }, code.slice(at + text.length)];
  return pieces;
}

/** The code with its quoted strings in their style: of a shell, where nothing is escaped in single quotes, or JavaScript. */
function withStrings(pieces: readonly CodePiece[]): CodePiece[] {
  const parts = codeText(pieces).split(/(\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`)/s);
  const styled = parts.map((part): CodePiece => (/^['"`]/.test(part) ? { text: part, as: "string" } : part));
  return keepInstants(styled, pieces);
}
