import postgres from "postgres";
import { severalHosts } from "./client.ts";
import { tlsOf } from "./tls.ts";

/**
 * Listens on a channel over a connection of its own, and reconnects by itself. The connection must not go through a
 * pooler. `onListening` is called each time listening begins: notifications before that were missed. `close` stops it.
 */
export function listen(options: {
  url: string;
  name: string;
  channel: string;
  onNotice: (payload: string) => void;
  onListening: () => void;
}): { close: () => Promise<void> } {
  const sql = postgres(options.url, {
    max: 1,
    connect_timeout: 4,
    keep_alive: 10,
    idle_timeout: 0,
    max_lifetime: null,
    backoff: (retries: number) => Math.min(0.1 * 2 ** retries, 2),
    onnotice: () => {},
    fetch_types: false,
    ...tlsOf(options.url),
    ...(severalHosts(options.url) && { target_session_attrs: "read-write" as const }),
    connection: { application_name: options.name },
  });
  let closed = false;
  const start = () => {
    sql.listen(options.channel, options.onNotice, options.onListening).catch(() => {
      if (!closed) setTimeout(start, 1_000).unref();
    });
  };
  start();
  return {
    async close() {
      closed = true;
      await sql.end({ timeout: 0 });
    },
  };
}
