import { AppError } from "#domain/errors.ts";

const MIB = 1024 * 1024;

/** Payload bytes of all bulk calls at work at once; one that is larger works alone. */
const BYTES_MAX = 16 * MIB;
/** A small call counts as this much: at most four at once, so that they do not take every connection. */
const BYTES_MIN = 4 * MIB;
const WAIT_MS_MAX = 3_000;

/**
 * Does `work` on so many payload bytes when its turn comes: calls that store much at once would hold up every other call
 * of the process. Throws UNAVAILABLE when it has to wait for longer than three seconds.
 */
export async function inTurn<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const weight = Math.max(bytes, BYTES_MIN);
  await turn(weight);
  try {
    return await work();
  } finally {
    activeBytes -= weight;
    admit();
  }
}

type Waiter = { bytes: number; begin: () => void };

let activeBytes = 0;
const waiting = new Set<Waiter>();

function turn(bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(one);
      reject(overloaded());
      admit();
    }, WAIT_MS_MAX);
    const one = {
      bytes,
      begin: () => {
        clearTimeout(timer);
        resolve();
      },
    };
    waiting.add(one);
    admit();
  });
}

// In the order they came: a large one is not passed by.
function admit(): void {
  for (const one of waiting) {
    if (activeBytes > 0 && activeBytes + one.bytes > BYTES_MAX) return;
    waiting.delete(one);
    activeBytes += one.bytes;
    one.begin();
  }
}

function overloaded(): AppError {
  return new AppError("UNAVAILABLE", "Too many large batches are being stored right now. Nothing of this one was.", {
    headers: { "Retry-After": "3" },
  });
}
