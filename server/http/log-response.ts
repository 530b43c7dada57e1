import { getServices } from "../services.ts";

const PATH_LENGTH_MAX = 200;

/** Writes the access log line of a request: `info` under /v1, `debug` elsewhere. Never logs headers, query or body. */
export function logResponse(
  request: Request,
  status: number,
  call: { requestId: string; accountId: string | undefined; ms: number },
): void {
  const { log } = getServices();
  const level = isApiCall(request.url) ? "info" : "debug";
  if (!log.isLevelEnabled(level)) return;
  const { requestId, accountId, ms } = call;
  log[level](
    {
      requestId,
      accountId,
      method: request.method,
      path: loggedPath(request.url),
      status,
      ms: Math.round(ms * 10) / 10,
    },
    "request completed",
  );
}

/** The path of a URL for the log: without its query, and with API keys, tokens and keys of the caller's own in the path redacted. */
export function loggedPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname
    .replace(/(?<=^\/v1\/schedules\/by-key\/).+/, "…")
    .replace(/(?<=^\/v1\/recurrences\/)[^/]+/, "…")
    .slice(0, PATH_LENGTH_MAX)
    .replace(/(sw_(?:live|test)_(?:c\d+_)?)[0-9A-Za-z]+/g, "$1…")
    .replace(/(?<=\/)[\w-]{43}(?=\/|$)/g, "…");
}

const isApiCall = (url: string) => /^[a-z]+:\/\/[^/]*\/v1(?:[/?]|$)/.test(url);
