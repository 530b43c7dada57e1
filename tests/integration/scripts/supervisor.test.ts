import { expect, test } from "vitest";
import { type Part, supervise } from "#scripts/stack/supervisor.ts";
import { isAlive, runNode } from "./script-process.ts";

const part = (name: string, program: string, stopMsMax = 10_000): Part => ({
  name,
  args: ["--input-type=module", "-e", `${program}; setInterval(() => {}, 1000); console.log("up", process.pid);`],
  env: {},
  stopMsMax,
});
const ENDS_AFTER = (ms: number) =>
  `process.on("SIGTERM", () => setTimeout(() => { console.log("ended"); process.exit(0); }, ${ms}))`;

function gather() {
  const lines: string[] = [];
  return { lines, write: (name: string, line: string) => lines.push(`${name} ${line.replace(/ \d+$/, "")}`) };
}

test("the supervisor ends the parts one after the other, in the given order, however long each one takes", async () => {
  const { lines, write } = gather();
  const parts = supervise([part("slow", ENDS_AFTER(300)), part("quick", ENDS_AFTER(0))], write);
  await expect.poll(() => lines.toSorted(), { timeout: 10_000 }).toEqual(["quick up", "slow up"]);
  await parts.stop();
  expect(lines.slice(2)).toEqual(["slow ended", "quick ended"]);
});

test("a part that ends by itself is reported with its name and exit code, and the other parts can still be ended", async () => {
  const { lines, write } = gather();
  const parts = supervise([part("broken", "process.exit(3)"), part("sound", ENDS_AFTER(0))], write);
  expect(await parts.ended).toEqual({ name: "broken", how: "exit code 3" });
  await expect.poll(() => lines, { timeout: 10_000 }).toEqual(["sound up"]);
  await parts.stop();
  expect(lines).toEqual(["sound up", "sound ended"]);
});

test("a part that does not end before its deadline is killed", async () => {
  const { lines, write } = gather();
  const parts = supervise([part("deaf", 'process.on("SIGTERM", () => {})', 50)], write);
  await expect.poll(() => lines, { timeout: 10_000 }).toEqual(["deaf up"]);
  await parts.stop();
});

test("a part that does not watch its parent ends when the supervisor is killed", async () => {
  const supervisor = runNode([
    "--input-type=module",
    "-e",
    `import { supervise } from "#scripts/stack/supervisor.ts";
     const args = ["--import", "./scripts/stack/end-with-parent.mjs", "-e", "setInterval(() => {}, 1000); console.log(process.pid)"];
     supervise([{ name: "web", args, env: {}, stopMsMax: 1000 }], (name, line) => console.log(line));`,
  ]);
  await expect.poll(() => supervisor.stdout, { timeout: 10_000 }).toHaveLength(1);
  const pid = Number(supervisor.stdout[0]);
  expect(isAlive(pid)).toBe(true);
  supervisor.child.kill("SIGKILL");
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});
