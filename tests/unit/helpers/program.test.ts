import { expect, it } from "vitest";
import { startProgram } from "#scripts/lab/program.ts";

const start = (code: string, options: Parameters<typeof startProgram>[1] = {}) =>
  startProgram(["--input-type=module", "--eval", code], { name: "the program", ...options });

it("a program that ends by itself is lost, and all its lines were read by then", async () => {
  const lines: string[] = [];
  const { lost, ended } = start(`console.log("one"); console.error("two"); process.exitCode = 3;`, {
    output: (line, stream) => lines.push(`${stream}: ${line}`),
  });
  await expect(lost).rejects.toThrow("the program ended unexpectedly (exit code 3).");
  expect(await ended).toBe("exit code 3");
  expect(lines.sort()).toEqual(["stderr: two", "stdout: one"]);
});

it("a program that is stopped is not lost, and is killed when it takes longer than its grace", async () => {
  const { next, lost, stop, ended } = start(
    `process.on("SIGTERM", () => {}); process.send("up"); setInterval(() => {}, 1_000);`,
  );
  let isLost = false;
  lost.catch(() => {
    isLost = true;
  });
  await next((message: string) => message === "up");
  await stop(1);
  expect([await ended, isLost]).toEqual(["signal SIGKILL", false]);
});

it("who waits for a message learns that the program is lost", async () => {
  const { next } = start("process.exit(1)");
  await expect(next((message: string) => message === "up")).rejects.toThrow("ended unexpectedly");
});

it("its end is known after this process has disconnected it", async () => {
  const { child, next, ended } = start(`process.once("disconnect", () => process.exit()); process.send("up");`);
  await next((message: string) => message === "up");
  child.disconnect();
  expect(await ended).toBe("exit code 0");
});
