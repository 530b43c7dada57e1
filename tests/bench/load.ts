import { Pool } from "undici";

/** A caller: its API key, and the body it sends. */
export type Caller = { key: string; body: string };

/**
 * Posts to `path` for `durationMs`. Each caller has a kept-alive connection of its own, and sends its next request as
 * soon as the last one is answered. Returns how many requests were answered and in what time. Throws on any status but
 * `status`.
 */
export async function drive(options: {
  origin: string;
  path: string;
  callers: readonly Caller[];
  status: number;
  durationMs: number;
}): Promise<{ answered: number; ms: number }> {
  const { origin, path, callers, status, durationMs } = options;
  const pool = new Pool(origin, { connections: callers.length, pipelining: 1, headersTimeout: 60_000 });
  const beginMs = performance.now();
  let answered = 0;
  const loop = async ({ key, body }: Caller) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    while (performance.now() - beginMs < durationMs) {
      const answer = await pool.request({ path, method: "POST", headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      answered++;
    }
  };
  try {
    await Promise.all(callers.map(loop));
    return { answered, ms: performance.now() - beginMs };
  } finally {
    await pool.destroy();
  }
}
