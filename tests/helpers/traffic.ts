import { pause } from "./time.ts";

/**
 * One call of the API: what it was, its status (0 when it failed), when it began, ms by the clock of `performance.now()`, and
 * how long its answer took, ms.
 */
export type Call = { what: string; status: number; startedAtMs: number; ms: number };

export type Traffic = {
  calls: Call[];
  /** The paths of the targets that are to get a request. */
  delivered: string[];
  stop(): Promise<void>;
};

const LOOPS = 4;
const PAUSE_MS = 50;

/**
 * Calls the API of an account until it is stopped, four calls at once: it creates schedules that fire after two seconds at
 * `target`, reads, moves and cancels others, and reads lists, the log and figures. It stays within the rate limit of the Indie
 * plan.
 */
export function startTraffic(origin: string, key: string, target: string): Traffic {
  const calls: Call[] = [];
  const delivered: string[] = [];
  let isRunning = true;

  async function call(method: string, path: string, body?: object): Promise<{ id?: string }> {
    const startedAtMs = performance.now();
    const what = `${method} ${path.split(/[?]|[0-9a-f]{8}-/)[0]}`;
    try {
      const answer = await fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      calls.push({ what, status: answer.status, startedAtMs, ms: performance.now() - startedAtMs });
      return answer.ok && text !== "" ? JSON.parse(text) : {};
    } catch {
      calls.push({ what, status: 0, startedAtMs, ms: performance.now() - startedAtMs });
      return {};
    }
  }

  async function loop(name: number) {
    for (let n = 0; isRunning; n++) {
      const create = (what: string, fireIn: string) =>
        call("POST", "/v1/schedules", { targetUrl: `${target}/${name}-${n}-${what}`, fireIn, payload: what });
      const fires = await create("fires", "2s");
      if (fires.id) delivered.push(`/${name}-${n}-fires`);
      const cancelled = await create("cancelled", "1h");
      for (const [method, path, body] of [
        ["GET", `/v1/schedules/${fires.id}`],
        ["PATCH", `/v1/schedules/${cancelled.id}`, { fireIn: "2h" }],
        ["GET", "/v1/schedules?status=scheduled&limit=20"],
        ["GET", "/v1/logs?limit=20"],
        ["GET", "/v1/overview"],
        ["DELETE", `/v1/schedules/${cancelled.id}`],
      ] as const) {
        if (!path.endsWith("undefined")) await call(method, path, body);
        await pause(PAUSE_MS);
      }
    }
  }

  const loops = Array.from({ length: LOOPS }, (_, name) => loop(name));
  return {
    calls,
    delivered,
    async stop() {
      isRunning = false;
      await Promise.all(loops);
    },
  };
}
