import { spawn } from "node:child_process";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";

// `node --watch` continues when its parent is killed. This process runs between the two and notices.
const child = spawn(process.execPath, ["--watch", "--watch-preserve-output", ...process.argv.slice(2)], {
  stdio: "inherit",
});
const stop = () => child.kill("SIGTERM");
for (const signal of STOP_SIGNALS) process.on(signal, stop);
process.on("disconnect", stop);
child.once("exit", (code) => process.exit(code ?? 0));
