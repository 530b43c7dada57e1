import pino from "pino";
import { expect, it, onTestFinished } from "vitest";
import { serveHealth } from "#dispatcher/observability/health.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { freePort } from "#scripts/ports.ts";

it("a question that cannot be answered gets 500 and a line in the log, and the dispatcher goes on", async () => {
  const port = await freePort();
  const lines: string[] = [];
  const { close } = await serveHealth({
    host: "127.0.0.1",
    port,
    figures: () => ({ held: 3 }),
    held: () => null,
    metrics: new Metrics(),
    metricsToken: undefined,
    ready: () => Promise.reject(new Error("out of memory")),
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  onTestFinished(close);
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, body: await answer.json() };
  };
  expect(await ask("/readyz?token=secret")).toEqual({
    status: 500,
    body: { error: { code: "INTERNAL", message: "It could not be answered. The log says why." } },
  });
  expect(lines).toEqual([expect.stringMatching(/"path":"\/readyz".*out of memory/)]);
  expect(await ask("/healthz")).toEqual({ status: 200, body: { status: "ok", part: "dispatcher", held: 3 } });
});

it("why it is not ready is told on the machine itself and to METRICS_TOKEN, and to nobody else", async () => {
  const port = await freePort();
  const secret = 'role "stopwatch" may not INSERT INTO "probes"';
  const { close } = await serveHealth({
    host: "127.0.0.1",
    port,
    figures: () => ({}),
    held: () => null,
    metrics: new Metrics(),
    log: pino({ level: "silent" }),
    metricsToken: "0123456789abcdef",
    ready: async () => ({ status: "unavailable", reason: secret }),
  });
  onTestFinished(close);
  const reasonFor = async (headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { headers });
    expect(answer.status).toBe(503);
    return (await answer.json()).reason;
  };
  const token = { authorization: "Bearer 0123456789abcdef" };
  expect(await reasonFor({})).toBe(secret);
  // A proxy on this machine asks for somebody else.
  for (const name of ["x-forwarded-for", "forwarded", "via"]) {
    expect(await reasonFor({ [name]: "203.0.113.7" })).toMatch(/^It cannot deliver now\./);
    expect(await reasonFor({ [name]: "203.0.113.7", authorization: "Bearer other" })).not.toContain("probes");
    expect(await reasonFor({ [name]: "203.0.113.7", ...token })).toBe(secret);
  }
});
