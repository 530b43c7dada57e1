import { Agent } from "undici";

/** What a peer stores of a job: the request to send. */
export type Posted = { url: string; body: string };

/** Sends a request, and resolves to the status of its answer. `headers` replace those of the same name. */
export type Post = (request: Posted | { url: string; body: Buffer }, headers?: object) => Promise<number>;

// Headers as long and as many as the dispatcher's own signatures. A peer does not pay for computing them, unless it is one with equal
// work.
const HEADERS = {
  "content-type": "application/json",
  "X-Service-Signature": `t=1700000000,v1=${"0".repeat(64)}`,
  "webhook-id": `sch_${"0".repeat(26)}`,
  "webhook-timestamp": "1700000000",
  "webhook-signature": `v1,${"0".repeat(44)}`,
  "x-service-schedule-id": `sch_${"0".repeat(26)}`,
  "x-service-attempt": "1",
  "x-service-fire-at": "2030-01-01T00:00:00.000Z",
  "user-agent": "Stopwatch/bench",
};

/**
 * The handler of every peer. It posts the same request over the same kind of connection, which it keeps open for a
 * minute. Rejects when the answer is not 2xx or does not come within 30 s.
 */
export function createPost(ca: string): { post: Post; close: () => Promise<void> } {
  const agent = new Agent({
    connections: 256,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 30_000,
    connect: { ca },
  });
  return {
    async post({ url, body }, own) {
      const { origin, pathname } = new URL(url);
      const headers = own ? { ...HEADERS, ...own } : HEADERS;
      const answer = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await answer.body.dump();
      if (answer.statusCode >= 300) throw new Error(`answered with ${answer.statusCode}`);
      return answer.statusCode;
    },
    close: () => agent.destroy(),
  };
}
