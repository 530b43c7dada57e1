import { text } from "node:stream/consumers";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { call, type Method } from "../api/api.ts";

/**
 * Serves the route handlers of the API over HTTP, each answer checked against the document. `loseNext` carries out
 * the next request that it matches by method and path, does `meanwhile`, and then closes the connection without an answer.
 */
export async function serveApi() {
  let lost: { fits: RegExp; meanwhile: () => unknown } | undefined;
  const requests: string[] = [];
  const { origin, close } = await serveHttp(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    const sent: Record<string, string> = {};
    for (const name of ["authorization", "content-type", "idempotency-key"]) {
      const value = headers[name];
      if (typeof value === "string") sent[name] = value;
    }
    requests.push(`${method} ${url}`);
    const answer = await call(method as Method, url, null, body === "" ? undefined : body, sent);
    if (lost?.fits.test(`${method} ${url}`)) {
      const { meanwhile } = lost;
      lost = undefined;
      await meanwhile();
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.text);
  });
  return {
    origin,
    requests,
    loseNext(fits: RegExp, meanwhile: () => unknown = () => {}) {
      lost = { fits, meanwhile };
    },
    stop: close,
  };
}
