import { fileURLToPath } from "node:url";

/**
 * Environment of a Node.js process that a test starts: what it compiles is kept for the next one, which starts in two
 * thirds of the CPU time. Node.js compares the sources and its own version.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/stopwatch-compiled", import.meta.url)),
};
