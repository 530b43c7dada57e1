import { expect, test } from "vitest";
import { runDemo } from "./run-demo.ts";

const MINUTES = 60_000;

test(
  "npm run demo delivers everything as promised, prints a table that says so, and ends with exit code 0",
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

test.each([
  ["receiver-that-drops.ts", "every attempt arrives exactly once"],
  ["receiver-that-changes.ts", "every request arrives as it was written"],
  ["receiver-that-is-early.ts", "no request arrives early"],
])(
  "npm run demo ends with exit code 1 and names the broken expectation with a %s",
  async (receiver, expectation) => {
    const { code, output } = await runDemo("--count", "20", "--seconds", "4", "--receiver", `tests/e2e/${receiver}`);
    expect(output).toContain(`Not so: ${expectation}\n`);
    expect(output).not.toContain("Everything happened as promised.");
    expect(code).toBe(1);
  },
  3 * MINUTES,
);

function runDemo(...args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "demo", "--", ...args], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
