import { expect, it } from "vitest";
import { summariseProfile } from "../../bench/profile.ts";

const ROOT = new URL("../../../", import.meta.url).href;

it("a profile is summed by folder, package, module of Node.js and native function; idle time counts as no work", () => {
  const frames = [
    ["(idle)", ""],
    ["(garbage collector)", ""],
    ["add", `${ROOT}dispatcher/rates/rate-lanes.ts`],
    ["onAnswer", `${ROOT}node_modules/undici/lib/dispatcher/client-h1.js`],
    ["run", `${ROOT}node_modules/.a/node_modules/@scope/part/index.js`],
    ["listOnTimeout", "node:internal/timers"],
    ["writev", ""],
  ] as const;
  const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }));
  const samples = [0, 1, 2, 2, 3, 4, 5, 6];
  const timeDeltas = [9_000, 1_000, 2_000, 2_000, 3_000, 500, 1_000, 500];
  expect(summariseProfile({ nodes, samples, timeDeltas })).toEqual([
    { area: "dispatcher/rates", ms: 4, share: 0.4 },
    { area: "undici", ms: 3, share: 0.3 },
    { area: "(garbage collector)", ms: 1, share: 0.1 },
    { area: "node:internal/timers", ms: 1, share: 0.1 },
    { area: "@scope/part", ms: 0.5, share: 0.05 },
    { area: "native: writev", ms: 0.5, share: 0.05 },
  ]);
});
