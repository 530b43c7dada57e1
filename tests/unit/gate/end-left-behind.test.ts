import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

/** Leaves an orphan in this folder and one elsewhere, and has a child with a child; says which of them still run. */
const PROGRAM = `
  import { execFileSync, spawn } from "node:child_process";
  import { readFileSync } from "node:fs";
  import { endLeftBehind } from "#tests/gate/end-left-behind.ts";
  const leave = (cwd) =>
    Number(execFileSync("sh", ["-c", "sleep 60 >/dev/null 2>&1 & echo $!"], { cwd, encoding: "utf8" }));
  const [here, elsewhere] = [leave("."), leave("/")];
  const child = spawn("sh", ["-c", "sleep 60; true"]);
  const parentOf = (pid) => readFileSync("/proc/" + pid + "/stat", "utf8").split(") ")[1].split(" ")[1];
  const isAdopted = parentOf(here) !== "1";
  await endLeftBehind();
  const runs = (pid) => {
    try { return !readFileSync("/proc/" + pid + "/stat", "utf8").includes(") Z "); } catch { return false; }
  };
  console.log(JSON.stringify({ isAdopted, here: runs(here), elsewhere: runs(elsewhere), child: runs(child.pid) }));
  for (const pid of [here, elsewhere, child.pid]) try { process.kill(pid, "SIGKILL"); } catch {}`;

it.runIf(process.platform === "linux")(
  "what tests left behind is ended with their run, and nothing else of its process group is",
  async () => {
    // A group of its own: orphans of this run are not to be ended yet.
    const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], { detached: true, stdio: "pipe" });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    const { isAdopted, ...still } = JSON.parse(output.trim().split("\n").at(-1) ?? errors);
    // A session manager that takes orphans as its own leaves no way to tell them.
    expect(still).toEqual({ here: isAdopted, elsewhere: true, child: false });
  },
);
