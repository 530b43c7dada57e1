import type { Engine } from "./engine.ts";

/** The module of each engine, in the order of the tables. Modules in `peers/` need the packages of this folder. */
const MODULES = {
  baseline: "baseline",
  stopwatch: "stopwatch",
  "graphile-worker": "peers/graphile-worker",
  "graphile-worker-local": "peers/graphile-worker",
  "graphile-worker-equal": "peers/graphile-worker",
  "pg-boss": "peers/pg-boss",
  "pg-boss-equal": "peers/pg-boss",
  bullmq: "peers/bullmq",
  dbos: "peers/dbos",
} as const;

export type EngineName = keyof typeof MODULES;

export const ENGINE_NAMES = Object.keys(MODULES) as EngineName[];

/** Whether the engine is a library of somebody else, which `npm run bench` installs. */
export const isPeer = (name: EngineName) => MODULES[name].startsWith("peers/");

/** Whether the engine is another one than this service: when it fails, the run goes on. */
export const isOther = ({ name }: Pick<Engine, "name">) => name !== "stopwatch";

/** Loads the engines with these names. Peers must be installed. */
export function loadEngines(names: readonly EngineName[]): Promise<Engine[]> {
  return Promise.all(
    names.map(async (name) => {
      const module: Record<string, unknown> = await import(`./engines/${MODULES[name]}.ts`);
      const found = Object.values(module).find((value) => (value as Partial<Engine>).name === name);
      if (!found) throw new Error(`engines/${MODULES[name]}.ts does not export the engine ${name}`);
      return found as Engine;
    }),
  );
}
