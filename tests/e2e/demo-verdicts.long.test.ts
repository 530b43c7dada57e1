// Guards: scripts/demo/**, scripts/lab/**, scripts/commands/demo.ts
import { expect, test } from "vitest";
import { runDemo } from "./run-demo.ts";

const MINUTES = 60_000;

test.each([
  ["receiver-that-drops.ts", "every attempt arrives exactly once"],
  ["receiver-that-changes.ts", "every request arrives as it was written"],
  ["receiver-that-is-early.ts", "no request arrives early"],
])(
  "npm run demo ends with exit code 1 and names what did not hold with a %s",
  async (receiver, expectation) => {
    const { code, output, verdict } = await runDemo(
      "--count",
      "20",
      "--seconds",
      "4",
      "--receiver",
      `tests/e2e/${receiver}`,
    );
    expect(output.includes(`Not so: ${expectation}\n`), verdict).toBe(true);
    expect(output).not.toContain("Everything happened as promised.");
    expect(code).toBe(1);
  },
  5 * MINUTES,
);
