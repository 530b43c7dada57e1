import postgres from "postgres";

export type Ownership = {
  /** Settles when the server ends, or another process owns it, without `release`. */
  lost: Promise<void>;
  release(): Promise<void>;
};

/**
 * Makes this process the owner of the server at `url`, with an advisory lock that lives as long as its connection. So
 * an owner that is killed leaves nothing behind. Undefined when another process is the owner; rejects when the server
 * cannot be reached.
 */
export async function takeOwnership(url: string): Promise<Ownership | undefined> {
  let watching = false;
  const { promise: lost, resolve: reportLost } = Promise.withResolvers<void>();
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 4,
    onnotice: () => {},
    // If the server ended while the driver fetched types, nobody could catch the error.
    fetch_types: false,
    connection: { application_name: "stopwatch start" },
    onclose: () => {
      if (!watching) return;
      watching = false;
      regain().catch(reportLost);
    },
  });
  const lock = async () => {
    const [row] = await sql<[{ mine: boolean }]>`SELECT pg_try_advisory_lock(${OWNER_LOCK}) AS mine`;
    return row.mine;
  };
  // When one backend crashes, every connection is closed. The server then recovers and still listens, so take the lock
  // again.
  const regain = async () => {
    const until = performance.now() + REGAIN_MS;
    while (!released) {
      const mine = await lock().catch((error) => (error.code === "ECONNREFUSED" ? "gone" : false));
      if (mine === "gone" || performance.now() > until) return reportLost();
      if (mine) {
        watching = true;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  let released = false;

  const mine = await lock().catch(async (error) => {
    await sql.end({ timeout: 0 });
    throw error;
  });
  if (!mine) {
    await sql.end({ timeout: 2 });
    return undefined;
  }
  watching = true;
  return {
    lost,
    async release() {
      released = true;
      watching = false;
      await sql.end({ timeout: 2 });
    },
  };
}

const OWNER_LOCK = 7_867_002;
const REGAIN_MS = 10_000;
