import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "#db/migrate.ts";
import { type PageHarness, startPageHarness } from "../tests/pages/harness.ts";
import { startEmbeddedPostgres } from "./postgres/embedded.ts";

/**
 * Runs `work` on the built pages with seeded accounts and a headless Chromium, in a temporary folder that is removed when it
 * ends. `name` is part of the folder's name.
 */
export async function withPageHarness(name: string, work: (harness: PageHarness) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `stopwatch-${name}-`));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres(folder);
  try {
    await migrate(server.url);
    const harness = await startPageHarness(server.url);
    try {
      await work(harness);
    } finally {
      await harness.stop();
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
