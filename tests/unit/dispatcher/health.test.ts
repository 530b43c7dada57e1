import pino from "pino";
import { expect, it, onTestFinished } from "vitest";
import { serveHealth } from "#dispatcher/observability/health.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { freePort } from "#scripts/ports.ts";

it("a question that cannot be answered gets 500 and a line in the log, and the dispatcher goes on", async () => {
  const port = await freePort();
  const lines: string[] = [];
  const { close } = await serveHealth({
    ...{ host: "127.0.0.1", port, figures: () => ({ held: 3 }), held: () => null, metrics: new Metrics() },
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
