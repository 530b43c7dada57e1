import { createServer } from "node:http";

/** Serves `/healthz` of this dispatcher on loopback or on the host it is given. */
export function serveHealth(options: { host: string; port: number; figures: () => Record<string, number> }) {
  const server = createServer((request, response) => {
    const known = request.url === "/healthz";
    response.writeHead(known ? 200 : 404, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(
      JSON.stringify(
        known
          ? { status: "ok", ...options.figures() }
          : { error: { code: "NOT_FOUND", message: "There is only /healthz here." } },
      ),
    );
  });
  return new Promise<{ close: () => void }>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve({ close: () => server.close() }));
  });
}
