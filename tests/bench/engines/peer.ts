import { startEngineWorker, type WorkerProcess } from "../worker-process.ts";

/** Starts `workers` processes that run `work` of engines/<engine>.ts with these options. */
export function startEngineWorkers(engine: string, workers: number, options: object): Promise<WorkerProcess[]> {
  return Promise.all(Array.from({ length: workers }, () => startEngineWorker(engine, options)));
}

/** Splits the items into groups of at most `size`, in order. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
