import type { Sql } from "./client.ts";
import { openDriver } from "./driver.ts";
import { DIRECT_SESSION } from "./sessions.ts";

/**
 * Listens on a channel over a connection of its own, and reconnects by itself. The connection must not go through a
 * pooler. `onListening` is called each time listening begins: notifications before that were missed. `close` stops it.
 */
export function listen(options: {
  url: string;
  name: string;
  channel: (sql: Sql) => Promise<string>;
  onNotice: (payload: string) => void;
  onListening: () => void;
}): { close: () => Promise<void> } {
  let closed = false;
  let failures = 0;
  let next: NodeJS.Timeout | undefined;

  // Both the driver and the waiting statement report a lost connection. Start only one new try.
  const tryAgain = () => {
    if (closed || next) return;
    next = setTimeout(start, Math.min(100 * 2 ** failures++, 2_000)).unref();
  };

  // An option that the driver's types lack.
  const hears = { onnotify: (_channel: string, payload: string) => options.onNotice(payload) };

  // Not the driver's own `listen`: it keeps each listener of a try that failed, and reports a notification to all of
  // them. It also never tries again when the server refuses, as a standby does.
  const sql = openDriver(options.url, {
    max: 1,
    connect_timeout: 4,
    keep_alive: 10,
    idle_timeout: 0,
    max_lifetime: null,
    backoff: (retries: number) => Math.min(0.1 * 2 ** retries, 2),
    onclose: tryAgain,
    ...hears,
    fetch_types: false,
    connection: { application_name: options.name, ...DIRECT_SESSION },
  });

  const beginListening = async () => {
    const channel = await options.channel(sql);
    await sql`LISTEN ${sql(channel)}`;
  };
  const start = () => {
    next = undefined;
    beginListening().then(() => {
      failures = 0;
      options.onListening();
    }, tryAgain);
  };
  start();

  return {
    async close() {
      closed = true;
      clearTimeout(next);
      await sql.end({ timeout: 0 });
    },
  };
}
