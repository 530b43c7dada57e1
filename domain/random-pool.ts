/** `size` random bytes, at most 64, each used once. Taken from a pool to save a system call per id or nonce. */
export function pooledRandomBytes(size: number): Uint8Array {
  if (at + size > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
    at = 0;
  }
  at += size;
  return pool.subarray(at - size, at);
}

const POOL_BYTES = 4_096;
let pool = new Uint8Array();
let at = 0;
