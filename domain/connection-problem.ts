/** What the driver, the system or a server says of a connection to the database that could not be opened, or that broke. */
export type ConnectionError = { code?: unknown; message?: unknown; severity?: unknown; severity_local?: unknown };

/**
 * Why the database cannot be reached, in a sentence for operators: without its address, which is in the log. Undefined where
 * there is no more to say, as when nobody listens there, or the connection was cut.
 */
export function describeConnectionProblem(error: ConnectionError): string | undefined {
  const { code, message, severity = error.severity_local } = error;
  if (code === DATABASE_AWAY) return `${String(message).slice(0, WORDS_MAX)}.`;
  // The server's own words, or those of a pooler.
  if (severity !== undefined) return `It says: ${String(message).slice(0, WORDS_MAX)}`.replace(/\.?$/, ".");
  if (typeof code !== "string" || PLAIN.test(code)) return undefined;
  return CAUSES.find(([codes]) => codes.test(code))?.[1] ?? `The reason is ${code.slice(0, WORDS_MAX)}.`;
}

/** Of several hosts one takes writes and has no Stopwatch, while another one, which may have it, is away. */
export const DATABASE_AWAY = "DATABASE_AWAY";

const WORDS_MAX = 300;

const PLAIN = /^(ECONN\w+|EPIPE|ETIMEDOUT|CONNECT_TIMEOUT|CONNECTION_(CLOSED|DESTROYED|ENDED))$/;

/** Sources: errno(3), getaddrinfo(3), the errors of TLS in the documentation of Node.js, and the patch of the driver. */
const CAUSES: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^CERT_HAS_EXPIRED$/, "Its certificate has expired."],
  [/^CERT_NOT_YET_VALID$/, "Its certificate is not valid yet, or the clock of this machine is wrong."],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "Its certificate is for another name than that in the address."],
  [/SELF_SIGNED|UNABLE_TO_|^CERT_/, "Its certificate is not of an authority that this process trusts."],
  [/^TLS_NOT_OFFERED$/, "It does not offer TLS, which the address demands."],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_|ERR_OSSL_)/, "No TLS could be agreed on with it."],
  [/^NOT_POSTGRESQL$/, "What answers at its address does not speak as PostgreSQL does."],
  [/^AUTHENTICATION_|^SASL_/, "It wants, or answers, a login in a way that the driver does not know."],
  [/^CONNECTION_REFUSED$/, "It refuses connections."],
  [/^ENOENT$/, "The Unix socket of its address does not exist."],
  [/^(EACCES|EPERM)$/, "This machine does not permit the connection."],
  [/^(ENOTFOUND|EAI_)/, "The name in its address cannot be looked up."],
  [/^(EMFILE|ENFILE)$/, "This machine or process has no open files left."],
  [/^(ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/, "No route of this machine leads to it."],
];
