import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { call, type Method } from "../api/api.ts";

/**
 * Serves the route handlers of the API over HTTP, each answer checked against the document. `loseNext` carries out
 * the next request that it matches by method and path, and then closes the connection without an answer.
 */
export async function serveApi() {
  let lost: RegExp | undefined;
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    const sent: Record<string, string> = {};
    for (const name of ["authorization", "content-type", "idempotency-key"]) {
      const value = headers[name];
      if (typeof value === "string") sent[name] = value;
    }
    requests.push(`${method} ${url}`);
    const answer = await call(method as Method, url, null, body === "" ? undefined : body, sent);
    if (lost?.test(`${method} ${url}`)) {
      lost = undefined;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    loseNext(fits: RegExp) {
      lost = fits;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
