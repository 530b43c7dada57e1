/** ENCRYPTION_KEYS of every process that a test starts. */
export const ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
