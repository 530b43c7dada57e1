import { spawnSync } from "node:child_process";

/** Whether Prometheus' own checker is installed: `promtool`, in Debian's package `prometheus`. */
export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** What `promtool check metrics` finds in `text`, one finding a line; empty when it is clean. */
export function lintMetrics(text: string): string {
  const { stdout, stderr, status, error } = spawnSync("promtool", ["check", "metrics"], {
    input: text,
    encoding: "utf8",
  });
  if (error) throw error;
  const found = `${stdout}${stderr}`.trim();
  return found === "" && status !== 0 ? `promtool ended with ${status}` : found;
}
