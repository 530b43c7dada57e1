import { services } from "../services.ts";

const PATH_LENGTH_MAX = 200;

/** Writes one line about an answered call: `info` under /v1, `debug` elsewhere. Never a header, a query or a body. */
export function logAnswer(
  request: Request,
  status: number,
  call: { requestId: string; accountId: string | undefined; ms: number },
): void {
  const { log } = services();
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
    "answered",
  );
}

/** The path of a URL for a log line: without its query, and without an API key that somebody put into it. */
export function loggedPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(0, PATH_LENGTH_MAX).replace(/(sw_(?:live|test)_)[0-9A-Za-z]+/g, "$1…");
}

const isApiCall = (url: string) => /^[a-z]+:\/\/[^/]*\/v1(?:[/?]|$)/.test(url);
