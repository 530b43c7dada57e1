import { ADVERSARIES } from "#tests/chaos/adversaries/adversaries.ts";
import { runBroken } from "#tests/chaos/broken.ts";
import { runChaos } from "#tests/chaos/run.ts";
import { command, UsageError } from "../command.ts";

type Options = {
  seconds?: string;
  seed?: string;
  dispatchers?: string;
  rate?: string;
  adversaries?: string;
  rules?: string;
  "no-faults"?: boolean;
  keep?: boolean;
  break?: string;
};

const NAMES = ADVERSARIES.map(({ name }) => name);
/** From this length on, a run has all adversaries by default, seconds. */
const LONG_S = 150;

await command<Options>({
  usage: `Usage: npm run chaos [-- --seconds N --seed N --dispatchers N --rate N --keep --break WHAT]

Runs dispatchers as real processes on a PostgreSQL of its own, while schedules are created, cancelled and moved;
kills, stops, partitions and restarts the processes at random; then compares the API's answers, what the receiver
saw and what the database holds. After each fault every dispatcher recounts what its deliveries hold. Exits
with code 0 only if nothing was lost, early, sent after its cancel, duplicated, overlapping or unrecorded, no
counter of a dispatcher was wrong, and adversaries made nobody else late.

  --seconds N      length of the run, 5 to 86400 (default 60); finishing takes up to a minute more
  --seed N         the same seed injects the same faults (default: a random seed, which is printed)
  --dispatchers N  1 to 16 (default 3)
  --rate N         schedules created per second, 1 to 1000 (default 60)
  --adversaries A  all, none, or some of them, separated by commas (default: all from ${LONG_S} s on, otherwise none):
                   ${wrapped(NAMES)}
  --rules N        N recurrences more that all fire at one minute, in the middle of the run (default 0)
  --no-faults      injects no faults
  --keep           keeps the ledgers and the dispatchers' logs in any case
  --break WHAT     proves that a run can fail: runs in a copy of this folder without one guard: claim (its
                   version), record (its fence), instant (the wait for it), release (of a connection's place) or
                   connections (their bound, with --adversaries hanging-path)
  --help           show this`,
  options: {
    seconds: { type: "string" },
    seed: { type: "string" },
    dispatchers: { type: "string" },
    rate: { type: "string" },
    adversaries: { type: "string" },
    rules: { type: "string" },
    "no-faults": { type: "boolean" },
    keep: { type: "boolean" },
    break: { type: "string" },
  },
  async run(given) {
    const seconds = wholeNumber("--seconds", given.seconds ?? "60", 5, 86_400);
    const options = {
      seconds,
      seed: wholeNumber("--seed", given.seed ?? String(Math.floor(Math.random() * 1_000_000)), 0, 2 ** 32 - 1),
      dispatchers: wholeNumber("--dispatchers", given.dispatchers ?? "3", 1, 16),
      rate: wholeNumber("--rate", given.rate ?? "60", 1, 1_000),
      adversaries: chosen(given.adversaries ?? (seconds >= LONG_S ? "all" : "none")),
      rules: wholeNumber("--rules", given.rules ?? "0", 0, 1_000_000),
      faults: !given["no-faults"],
    };
    return given.break === undefined ? runChaos(options, given.keep) : runBroken(given.break, options);
  },
});

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`${option}: a whole number from ${min} to ${max}`);
  return value;
}

function chosen(text: string): string[] {
  if (text === "none") return [];
  if (text === "all") return NAMES;
  const names = text.split(",");
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new UsageError(`--adversaries: there is no '${unknown}', only ${NAMES.join(", ")}`);
  return names;
}

/** Names in lines that fit under the options. */
function wrapped(names: readonly string[]): string {
  const half = Math.ceil(names.length / 2);
  return [names.slice(0, half), names.slice(half)].map((some) => some.join(", ")).join(",\n                   ");
}
