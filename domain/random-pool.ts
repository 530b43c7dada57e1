import { randomBytes } from "node:crypto";

/** `size` random bytes, at most 64, each used once. Taken from a pool to save a system call per id or nonce. */
export function pooledRandomBytes(size: number): Buffer {
  if (at + size > pool.length) {
    pool = randomBytes(POOL_BYTES);
    at = 0;
  }
  at += size;
  return pool.subarray(at - size, at);
}

const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);
let at = 0;
