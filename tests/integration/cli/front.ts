import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { GET as cliPackage } from "#app/cli.tgz/route.ts";
import { createCertificates } from "#scripts/lab/certificates.ts";
import { serveHttp } from "#scripts/lab/http-server.ts";

/** Answers in place of the installation; returns whether it did. */
export type Instead = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * What stands in front of an installation: passes on what it gets, serves the command line's package, and answers `instead`
 * where a test says so. `tls` has a certificate of its own authority.
 */
export async function startFront(origin: string, { tls = false } = {}) {
  let instead: Instead = () => false;
  let until: (request: IncomingMessage) => unknown = () => {};
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (instead(request, response)) return;
    const { url = "", method, headers } = request;
    const sent = Object.entries(headers).flatMap(([name, value]) =>
      /^(authorization|content-type|idempotency-key)$/.test(name) ? [[name, String(value)] as const] : [],
    );
    const body = method === "GET" || method === "DELETE" ? null : await text(request);
    await until(request);
    const answer =
      url === "/cli.tgz"
        ? await cliPackage(new Request(`http://localhost${url}`), { params: Promise.resolve({}) })
        : await fetch(origin + url, { method, headers: Object.fromEntries(sent), body, redirect: "manual" });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  };
  const certificates = tls ? await createCertificates() : null;
  const { port, close } = await serveHttp(handle, certificates);
  return {
    port,
    origin: `${tls ? "https" : "http"}://localhost:${port}`,
    /** PEM of the authority. */
    ca: certificates?.ca ?? "",
    answerInstead(next: Instead) {
      instead = next;
    },
    /** Passes a request, of which all has come, on once `next` has resolved. */
    passOnAfter(next: typeof until) {
      until = next;
    },
    stop: close,
  };
}
