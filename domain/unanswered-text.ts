/**
 * Why a request that was sent got no answer: a phrase, plus the error code if the system gave one. It never contains an address
 * or a library's own error name.
 */
export function unansweredText(code: string): string {
  const phrase = PHRASES.find(([pattern]) => pattern.test(code))?.[1] ?? "the request failed";
  return SYSTEM_CODE.test(code) ? `${phrase} (${code})` : phrase;
}

/** Why an attempt that had this time, in ms, got no answer in it. */
export const tooLateText = (timeoutMs: number): string => `no answer within ${timeoutMs / 1000} s`;

/** The error codes of the system and of TLS, such as ECONNRESET, but the one that its phrase says all of. */
const SYSTEM_CODE = /^(E[A-Z0-9]+|ERR_SSL_(?!.*_CERTIFICATE_REQUIRED$)[A-Z0-9_/]+)$/;

const PHRASES: [RegExp, string][] = [
  [/^UND_ERR_SOCKET$/, "the connection was closed without an answer"],
  [/^(ECONNRESET|EPIPE)$/, "the connection was reset"],
  [/_ALERT_CERTIFICATE_REQUIRED$/, "the target demands a client certificate"],
  [/^ERR_SSL_/, "the target ended the TLS connection"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "the answer's headers are too long"],
  [/^STOPWATCH_ENDLESS_ANSWER$/, "the answer has more bytes than are read"],
  [/^(HPE_|HTTPParserError$)/, "the answer is not HTTP"],
  [/^STOPWATCH_NO_STATUS$/, "the answer is not HTTP"],
  [/^STOPWATCH_SWITCHED_PROTOCOLS$/, "the target switched protocols (status 101)"],
  [/^UND_ERR_INVALID_ARG$/, "the stored request cannot be sent"],
];
