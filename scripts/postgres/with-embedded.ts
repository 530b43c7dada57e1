import { withCleanUp } from "../clean-up.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "./embedded.ts";

/** Calls `work` with the address of a data folder's database. Starts its server for that time if it does not run. */
export async function withEmbeddedPostgres<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const running = await findRunningPostgres(dataDir);
  if (running) return work(running);
  const server = await startEmbeddedPostgres(dataDir);
  return withCleanUp(() => work(server.url), [() => server.stop()]);
}
