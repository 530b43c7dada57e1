import { expect, test } from "vitest";
import { runDemo } from "./run-demo.ts";

const MINUTES = 60_000;

test(
  "npm run demo delivers everything as promised, says so in a table, and ends with exit code 0",
  async () => {
    const { code, output } = await runDemo("--count", "40", "--seconds", "4");
    expect(output).toContain("Everything happened as promised.");
    const counts = Object.fromEntries(
      [...output.matchAll(/^([a-z][a-z ]*[a-z]) +(\d+)$/gm)].map(([, name, n]) => [name, Number(n)]),
    );
    expect(counts).toEqual({
      created: 40,
      delivered: 37,
      "cancelled and never sent": 3,
      rescheduled: 3,
      retried: 1,
      blocked: 2,
    });
    expect(output).toMatch(/^lateness in ms +p50 +p95 +p99 +max$/m);
    for (const source of ["offset_ms of the service", "timing.late of the service", "seen by the receiver"]) {
      expect(output).toMatch(new RegExp(`^${source}( +\\d+(\\.\\d)?){4}$`, "m"));
    }
    expect(code).toBe(0);
  },
  3 * MINUTES,
);
