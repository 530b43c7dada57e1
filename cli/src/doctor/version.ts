import { type Check, type Finding, failure, ok, skipped, warning } from "./check.ts";
import type { DoctorContext } from "./context.ts";
import { type HttpAnswer, jsonOf } from "./http-answer.ts";
import { networkCause } from "./network-cause.ts";

/** Stopwatch answers, and not something in its place; and this program is the one that it serves. */
export const version: Check = {
  name: "version",
  needs: ["address", "TLS"],
  async run(context) {
    const { url, get, version } = context;
    try {
      const problem = notStopwatch(await get("/healthz"), url as URL);
      return problem ?? compare(await get("/cli.tgz"), version, context);
    } catch (error) {
      return networkCause(error, (url as URL).host);
    }
  },
};

/** What answers in place of Stopwatch; undefined when it is Stopwatch. */
function notStopwatch(answer: HttpAnswer, url: URL): Finding | undefined {
  const { status, headers, text } = answer;
  if (status === 200 && (jsonOf(answer) as { status?: unknown } | undefined)?.status === "ok") return undefined;
  if (status >= 300 && status < 400) {
    const location = headers.get("location") ?? "";
    const to = URL.canParse(location, url.href) ? new URL(location, url.href).origin : "elsewhere";
    return failure(
      `${url.origin} redirects to ${to} (${status})`,
      to === `https://${url.host}`
        ? "Write the address with https."
        : "Set STOPWATCH_URL to that, if it is yours. A captive portal redirects too: sign in to the network first.",
    );
  }
  if (status === 407) return failure("a proxy asks for credentials (407)", "Name them in HTTPS_PROXY.");
  if (/^text\/html/.test(headers.get("content-type") ?? "") || /^\s*</.test(text)) {
    return failure(
      `a web page answers in place of the API (HTML, ${status})`,
      status >= 500
        ? "A proxy is up and Stopwatch behind it is not: start it, or correct the proxy."
        : "A captive portal, a firewall or another server: sign in to the network, or correct the address.",
    );
  }
  return failure(`${url.origin} answers ${status}, not as Stopwatch does`, "Check host, port and path of the address.");
}

/** `/cli.tgz` leads to the version that the installation serves. */
function compare({ status, headers }: HttpAnswer, own: string, { url }: DoctorContext): Finding {
  const [, served] = /\/stopwatch-cli-([\w.+-]+)\.tgz$/.exec(headers.get("location") ?? "") ?? [];
  if (status < 300 || status > 399 || served === undefined) {
    return warning(
      "Stopwatch answers, and serves no command line: it is older than this one",
      "Update the installation.",
    );
  }
  if (served === own) return ok(`Stopwatch answers; this is its command line (${own})`);
  if (!own.includes("-"))
    return skipped(`Stopwatch answers; it serves ${served}, and this one (${own}) was built from sources`);
  return warning(
    `Stopwatch serves the command line ${served}, and this is ${own}`,
    `npm install --global ${(url as URL).origin}/cli.tgz`,
  );
}
