// Guards: scripts/demo/**, scripts/lab/**, scripts/stack/**, scripts/commands/demo.ts
import { expect, test } from "vitest";
import { runDemo, runDemoHeld } from "./run-demo.ts";

const MINUTES = 60_000;
const PROMISED = "Everything happened as promised.";

test(
  "npm run demo delivers everything as promised, says so in a table, and ends with exit code 0",
  async () => {
    const { code, output, verdict } = await runDemo("--count", "40", "--seconds", "4");
    expect(output.includes(PROMISED), verdict).toBe(true);
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
  5 * MINUTES,
);

test.skipIf(process.platform === "win32")(
  "npm run demo on a machine that held it up blames nobody, and repeats its plan more slowly",
  async () => {
    const held = { text: "creating 20 schedules", heldMs: 8_000 };
    const { code, output, verdict } = await runDemoHeld(held, "--count", "20", "--seconds", "4");
    expect(output).toMatch(
      /^\d+ schedules were created or changed too late, because this machine is busy\. Once more, /m,
    );
    expect(output).not.toContain("Not so:");
    expect(output.includes(PROMISED), verdict).toBe(true);
    expect(code).toBe(0);
  },
  5 * MINUTES,
);
