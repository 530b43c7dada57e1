import type { TimeField } from "#domain/chosen-time.ts";
import { headerPairs, type ScheduleDraft } from "#domain/schedule-draft.ts";
import type { CodePiece } from "../ui/code-block.tsx";

/** How many characters of a payload are shown; the copied text has all of them. */
const SHOWN_PAYLOAD_MAX = 600;

export type DraftCode = { shown: CodePiece[]; copied: string };

/** The API call that stores a draft: path and body. Null when no call can store it. */
export function draftCall(
  draft: ScheduleDraft,
  {
    baseUrl,
    from,
    time,
    isEarlyByDefault,
  }: { baseUrl: string; from: string; time: TimeField; isEarlyByDefault: boolean },
): { url: string; body: Record<string, unknown> } | null {
  const pairs = headerPairs(draft.headers);
  const headers = pairs.length > 0 ? { headers: Object.fromEntries(pairs) } : {};
  const key = draft.idempotencyKey === "" ? {} : { idempotencyKey: draft.idempotencyKey };
  if (from !== "") {
    const { keepsPayload, keepsHeaders, payload } = draft;
    const url = `${baseUrl}/v1/schedules/${from}`;
    if (keepsPayload && keepsHeaders) return { url: `${url}/replay`, body: { ...time, ...key } };
    if (keepsPayload) return null;
    return {
      url: `${url}/clone`,
      body: { ...time, payload, ...(keepsHeaders ? {} : { headers: {}, ...headers }), ...key },
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
      ...key,
    },
  };
}

/** The call as a curl command for a POSIX shell. */
export function curlOf({ url, body }: { url: string; body: Record<string, unknown> }): DraftCode {
  return written(
    body,
    `curl ${url} \\\n  -H "Authorization: Bearer $STOPWATCH_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '`,
    (json) => json.replaceAll("'", "'\\''").replaceAll("\n", "\n  "),
    "'",
  );
}

/** The call as JavaScript with fetch. */
export function fetchOf({ url, body }: { url: string; body: Record<string, unknown> }): DraftCode {
  return written(
    body,
    `await fetch("${url}", {\n  method: "POST",\n  headers: {\n    Authorization: \`Bearer \${process.env.STOPWATCH_API_KEY}\`,\n    "Content-Type": "application/json",\n  },\n  body: JSON.stringify(`,
    (json) => json.replaceAll("\n", "\n  "),
    "),\n});",
  );
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
  const json = text(shown);
  const name = body.fireIn === undefined ? "fireAt" : "fireIn";
  const instant = JSON.stringify(body[name]);
  const at = json.indexOf(instant, json.indexOf(`"${name}": `));
  return {
    shown: [
      before,
      { text: json.slice(0, at), as: "text" },
      { text: instant, as: "instant" },
      { text: json.slice(at + instant.length), as: "text" },
      after,
    ],
    copied: `${before}${text(body)}${after}`,
  };
}
