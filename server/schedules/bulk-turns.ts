import { AppError } from "#domain/errors.ts";

const MIB = 1024 * 1024;

/** Payload bytes of all bulk requests in progress; a larger one runs alone. */
const BYTES_MAX = 16 * MIB;
/** Minimum weight of a request, so that at most four run at once and leave connections to others. */
const BYTES_MIN = 4 * MIB;
const WAIT_MS_MAX = 3_000;

/**
 * Runs `work` on `bytes` of payload once there is capacity: too many concurrent batches would delay every other request
 * of the process. Throws UNAVAILABLE after waiting for three seconds.
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

// First in, first out, so that small requests cannot starve a large one.
function admit(): void {
  for (const one of waiting) {
    if (activeBytes > 0 && activeBytes + one.bytes > BYTES_MAX) return;
    waiting.delete(one);
    activeBytes += one.bytes;
    one.begin();
  }
}

function overloaded(): AppError {
  return new AppError("UNAVAILABLE", "The server is storing too many large batches. This batch was not stored.", {
    headers: { "Retry-After": "3" },
  });
}
