import { startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * A PostgreSQL server with durable settings, which can be stopped at once and started again. `onPort` is called with
 * the port on each start.
 */
export async function startCluster(dataDir: string, onPort: (port: number) => void) {
  let server = await startEmbeddedPostgres(dataDir);
  onPort(portOf(server.url));
  return {
    url: () => server.url,
    port: () => portOf(server.url),
    /** Immediate shutdown. The next start recovers what was committed. */
    async crash() {
      server.kill();
      await server.lost;
      await server.stop();
    },
    async start() {
      server = await startEmbeddedPostgres(dataDir);
      onPort(portOf(server.url));
    },
    stop: () => server.stop(),
  };
}

const portOf = (url: string) => Number(new URL(url).port);
