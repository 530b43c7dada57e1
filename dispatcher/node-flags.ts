/**
 * How Node.js runs a dispatcher. `npm run dispatcher` has the same flags in package.json.
 *
 * A young generation of up to 3 × 16 MiB: in a smaller one, requests under way are copied more often. A full collection
 * when the heap has doubled since the last one: by default it grew fourfold, and with 10,000 requests a second overdue
 * the process took 450 MB instead of 330, at the same CPU time.
 *
 * The young generation is collected by the main thread alone. Helper threads cost more than they save, since little of it is alive:
 * in `saturation` a delivery took 160 and 174 µs of CPU, with them 197, in `steady300` 573 and 630.
 */
export const NODE_FLAGS = ["--max-semi-space-size=16", "--heap-growing-percent=100", "--no-parallel-scavenge"];

/**
 * The environment in which a dispatcher is started, unless the operator sets other values. By default glibc gives each
 * of Node.js' threads its own arena, and memory freed in one arena is not reused by another. One arena for all threads
 * saved 15 to 32 MB. glibc reads the variable when a process starts; other C libraries ignore it.
 */
export const START_ENV = { MALLOC_ARENA_MAX: "1" };
