import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/embedded.ts";
import { type Kept, keepRunning, type Running } from "./keep-running.ts";

/** Starts the server of a data folder again whenever it ends, at the same address (`keepRunning`). */
export function keepDatabase(
  first: EmbeddedPostgres,
  dataDir: string,
  { mayRestart, onLog }: { mayRestart: () => boolean; onLog: (line: string) => void },
): Kept {
  const port = Number(new URL(first.url).port);
  return keepRunning(running(first), {
    name: "PostgreSQL",
    start: async () => running(await startEmbeddedPostgres(dataDir, { port })),
    mayRestart,
    advice: `see the end of ${join(dataDir, "postgres", "server.log")}, correct what it names, and run this again`,
    onLog,
  });
}

function running({ lost, stop, kill }: EmbeddedPostgres): Running {
  return { ended: lost.then(() => "its server is gone"), stop, kill };
}
