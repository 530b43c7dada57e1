import type { Destination } from "./listen-options.ts";

/** The code of an error, as it is sent to the service: of the system, of TLS or of Node.js, such as `ECONNREFUSED`. */
export function failureCode(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: { code?: unknown }[] };
  return String(code ?? errors?.[0]?.code ?? "ERR_UNKNOWN");
}

/** Why there was no answer, in words that say what to do. */
export function explainFailure(code: string, destination: Destination): string {
  if ("exec" in destination) {
    return code === "ABORT_ERR" ? "the command did not end in time" : `the command could not be started (${code})`;
  }
  const { host, protocol } = destination.to;
  const words = WORDS[code];
  if (words) return `${host} ${words}`;
  if (protocol === "https:" && /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return `the certificate of ${host} is not trusted (${code}); --insecure takes any certificate on this machine`;
  if (/SSL|EPROTO/.test(code)) return `${host} does not speak TLS; is it http://${host}?`;
  if (code.startsWith("HPE_"))
    return `the answer of ${host} is not HTTP${protocol === "http:" ? "; is it https?" : ""}`;
  return `${host} cannot be reached (${code})`;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused; is your server running?",
  ENOTFOUND: "is a name that no address is known for",
  EAI_AGAIN: "is a name that could not be looked up",
  ECONNRESET: "closed the connection without an answer",
  EPIPE: "closed the connection without an answer",
  ETIMEDOUT: "did not accept the connection in time",
  EHOSTUNREACH: "cannot be reached from this machine",
  ABORT_ERR: "did not answer in time",
  SWITCHED_PROTOCOLS: "switched protocols (status 101)",
  INVALID_PATH: "was not asked: the path of the delivery is not one",
};
