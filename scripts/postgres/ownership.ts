import postgres from "postgres";

export type Ownership = {
  /** Settles when the server is gone, or belongs to somebody else, without `release`. */
  lost: Promise<void>;
  release(): Promise<void>;
};

/**
 * Becomes the one process that runs the server at `url`, by an advisory lock that lives as long as a connection: a
 * killed owner leaves nothing behind. Undefined when there is an owner; rejects when the server cannot be reached.
 */
export async function takeOwnership(url: string): Promise<Ownership | undefined> {
  let watching = false;
  const { promise: lost, resolve: reportLost } = Promise.withResolvers<void>();
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 4,
    onnotice: () => {},
    // Nobody could catch it if the server went away while the driver asked for types.
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
  // A crash of one backend closes every connection; the server recovers meanwhile, and still listens.
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
