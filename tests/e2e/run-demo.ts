import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** `output` is what it wrote, `verdict` the end of that. */
type Ended = { code: number | null; output: string; verdict: string };

/** Runs `npm run demo` with these options to its end. */
export function runDemo(...args: string[]): Promise<Ended> {
  return run("npm", ["run", "demo", "--", ...args], () => {});
}

/** The same without npm, for `heldMs` stopped by SIGSTOP as soon as its output has `text`. What it started goes on. */
export function runDemoHeld({ text, heldMs }: { text: string; heldMs: number }, ...args: string[]): Promise<Ended> {
  let isHeld = false;
  return run(process.execPath, ["scripts/run.mjs", "demo", ...args], (output, pid) => {
    if (isHeld || !output.includes(text)) return;
    isHeld = true;
    process.kill(pid, "SIGSTOP");
    setTimeout(() => process.kill(pid, "SIGCONT"), heldMs);
  });
}

function run(program: string, args: string[], onOutput: (output: string, pid: number) => void): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        onOutput(output, child.pid as number);
      });
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, verdict: output.slice(-1_500) }));
  });
}
