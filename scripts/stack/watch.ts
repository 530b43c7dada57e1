import { spawn } from "node:child_process";

// `node --watch` continues when its parent is killed. This process runs between the two and notices.
const child = spawn(process.execPath, ["--watch", "--watch-preserve-output", ...process.argv.slice(2)], {
  stdio: "inherit",
});
const stop = () => child.kill("SIGTERM");
process.on("SIGTERM", stop);
process.on("disconnect", stop);
child.once("exit", (code) => process.exit(code ?? 0));
