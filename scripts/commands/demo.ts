import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { command, UsageError } from "../command.ts";
import { COUNT_MIN, SECONDS_MIN } from "../demo/plan.ts";
import { runDemo } from "../demo/run.ts";

const COUNT = { from: COUNT_MIN, to: 5_000, otherwise: 200 };
// Signatures are checked at the end, and are valid for five minutes.
const SECONDS = { from: SECONDS_MIN, to: 120, otherwise: 10 };
const SEED = { from: 0, to: 4_294_967_295 };

await command<{ count?: string; seconds?: string; seed?: string; receiver?: string; keep?: boolean }>({
  usage: `Usage: npm run demo [-- --count N --seconds N --keep --seed N --receiver FILE]

Starts everything on this machine, with a temporary database of its own, and a local HTTPS receiver.
Creates schedules through the API, lets them fire, and compares what arrived with what was requested and with what the service
recorded. A plan for which this machine is too busy is repeated more slowly. Exits with code 0 only if everything is as promised.

  --count N        schedules, ${COUNT.from} to ${COUNT.to} (default ${COUNT.otherwise})
  --seconds N      time over which they fire, ${SECONDS.from} to ${SECONDS.to} (default ${SECONDS.otherwise})
  --keep           keeps everything running afterwards, until Ctrl-C
  --seed N         repeats the plan of an earlier run with this seed
  --receiver FILE  a receiver of your own: a module with the protocol of scripts/demo/receiver.ts
  --help           show this`,
  options: {
    count: { type: "string" },
    seconds: { type: "string" },
    seed: { type: "string" },
    receiver: { type: "string" },
    keep: { type: "boolean" },
  },
  run: ({ count, seconds, seed, receiver, keep = false }) =>
    runDemo({
      count: readInteger("--count", count, COUNT),
      seconds: readInteger("--seconds", seconds, SECONDS),
      seed: readInteger("--seed", seed, { ...SEED, otherwise: randomInt(SEED.to) }),
      receiver:
        receiver === undefined ? fileURLToPath(new URL("../demo/receiver.ts", import.meta.url)) : resolve(receiver),
      keep,
    }),
});

function readInteger(
  name: string,
  text: string | undefined,
  { from, to, otherwise }: Record<"from" | "to" | "otherwise", number>,
): number {
  if (text === undefined) return otherwise;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw new UsageError(`${name}: expected a whole number from ${from} to ${to}, got ${JSON.stringify(text)}`);
}
