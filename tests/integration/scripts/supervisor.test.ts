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

/** Options that gather the lines of the parts, and those about them. */
function gather({ restarts = false } = {}) {
  const lines: string[] = [];
  const said: string[] = [];
  const options = {
    onLine: (name: string, line: string) => lines.push(`${name} ${line.replace(/ \d+$/, "")}`),
    onLog: (line: string) => said.push(line),
    mayRestart: () => restarts,
  };
  return { lines, said, options };
}

test("the supervisor ends the parts one after the other, in the given order, however long each one takes", async () => {
  const { lines, options } = gather();
  const parts = supervise([part("slow", ENDS_AFTER(300)), part("quick", ENDS_AFTER(0))], options);
  await expect.poll(() => lines.toSorted()).toEqual(["quick up", "slow up"]);
  await parts.stop();
  expect(lines.slice(2)).toEqual(["slow ended", "quick ended"]);
});

test("a part that ends by itself is reported with its name and exit code, and the other parts can still be ended", async () => {
  const { lines, options } = gather();
  const parts = supervise([part("broken", "process.exit(3)"), part("sound", ENDS_AFTER(0))], options);
  expect(await parts.givenUp).toBe("The broken ended unexpectedly (exit code 3).");
  await expect.poll(() => lines).toEqual(["sound up"]);
  await parts.stop();
  expect(lines).toEqual(["sound up", "sound ended"]);
});

test("a part that is killed is started again and said so, while the other parts run on", async () => {
  const pids: Record<string, number[]> = { killed: [], sound: [] };
  const { said, options } = gather({ restarts: true });
  const onLine = (name: string, line: string) => pids[name]?.push(Number(line.split(" ")[1]));
  const parts = supervise([part("killed", ENDS_AFTER(0)), part("sound", ENDS_AFTER(0))], { ...options, onLine });
  await expect.poll(() => Object.values(pids).flat()).toHaveLength(2);
  process.kill(pids.killed?.[0] as number, "SIGKILL");
  await expect.poll(() => pids.killed).toHaveLength(2);
  expect(said).toEqual([
    "The killed ended (signal SIGKILL), and is started again in 0.25 s",
    "The killed was started again",
  ]);
  expect(pids.sound).toHaveLength(1);
  expect(isAlive(pids.killed?.[1] as number)).toBe(true);
  await parts.stop();
  expect(Object.values(pids).flat().filter(isAlive)).toEqual([]);
});

test("a stop during the pause before a restart starts nothing any more", async () => {
  const { lines, said, options } = gather({ restarts: true });
  const parts = supervise([part("broken", 'console.log("begun"); process.exit(3)')], options);
  await expect.poll(() => said).not.toEqual([]);
  const begun = lines.length;
  await parts.stop();
  expect(lines).toHaveLength(begun);
  expect(said.at(-1)).toMatch(/started again in/);
});

test("a part that does not end before its deadline is killed", async () => {
  const { lines, options } = gather();
  const parts = supervise([part("deaf", 'process.on("SIGTERM", () => {})', 50)], options);
  await expect.poll(() => lines).toEqual(["deaf up"]);
  await parts.stop();
});

test("a part that does not watch its parent ends when the supervisor is killed", async () => {
  const supervisor = runNode([
    "--input-type=module",
    "-e",
    `import { supervise } from "#scripts/stack/supervisor.ts";
     const args = ["--import", "./scripts/stack/end-with-parent.mjs", "-e", "setInterval(() => {}, 1000); console.log(process.pid)"];
     supervise([{ name: "web", args, env: {}, stopMsMax: 1000 }], {
       onLine: (name, line) => console.log(line), onLog: console.error, mayRestart: () => false });`,
  ]);
  await expect.poll(() => supervisor.stdout).toHaveLength(1);
  const pid = Number(supervisor.stdout[0]);
  expect(isAlive(pid)).toBe(true);
  supervisor.child.kill("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
});
