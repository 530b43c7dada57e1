/** For how many hours a repeated rotation with the same idempotency key answers as the first one did. */
export const ROTATION_KEY_HOURS = 24;

/** How many rotations with idempotency keys an environment may have in that time. */
export const ROTATION_KEYS_MAX = 100;
