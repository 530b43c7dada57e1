import { answerLine } from "./answer-line.ts";

/**
 * A schedule's last answer as a mail says it: the status code with the words of the answer's first line, or why there was no
 * answer. `code` is null without one; `error` is the first line of the error text.
 */
export function mailedAnswer({ code, error }: { code: number | null; error: string | null }): string {
  // Without an answer the text is written by the dispatcher, not by the target.
  if (code === null) return cut(error ?? "no answer");
  return `${code} ${plainWords(answerLine(error ?? "")) || (REASONS.get(code) ?? "")}`.trim();
}

/**
 * The words of a stranger's text. What may be an address, a name or a secret is left out, so that no mail program makes a link of
 * it: everything but letters and short numbers.
 */
function plainWords(text: string): string {
  const words = text.split(/\s+/).map((word) => (word.length <= WORD_MAX && WORD.test(word) ? word : LEFT_OUT));
  const shown = words.filter((word, at) => word !== LEFT_OUT || words[at - 1] !== LEFT_OUT);
  return shown.some((word) => word !== LEFT_OUT) ? cut(shown.join(" ")) : "";
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX - 1).join("")}${LEFT_OUT}` : text;
}

const TEXT_MAX = 80;
const LEFT_OUT = "…";
const WORD_MAX = 32;
/** Letters with hyphens, apostrophes or underscores between them, or a number with its unit, in marks of punctuation. */
const WORD = /^[("'“‘[]*(?:[\p{L}\p{M}]+(?:['’_-][\p{L}\p{M}]+)*|\d{1,4}[a-z%]{0,2})[.,;:!?)"'”’\]]*$/u;

/** Reason phrases of common status codes. */
const REASONS = new Map<number, string>(
  Object.entries({
    301: "Moved Permanently",
    302: "Found",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
  }).map(([code, phrase]) => [Number(code), phrase]),
);
