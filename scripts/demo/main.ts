import { randomInt } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "#scripts/setup-error.ts";
import { command, UsageError } from "../command.ts";
import { listenForStop } from "../stop-signal.ts";
import { carryOut } from "./carry-out.ts";
import { createClient } from "./client.ts";
import { COUNT_MIN, planDemo, SECONDS_MIN } from "./plan.ts";
import { createProgress } from "./progress.ts";
import { type ReceiverProcess, startReceiver } from "./receiver-process.ts";
import { renderBroken, renderTable } from "./report.ts";
import { type Stack, startStack } from "./stack.ts";
import { verify } from "./verify.ts";

type Options = { count: number; seconds: number; seed: number; receiver: string; keep: boolean };

const COUNT = { from: COUNT_MIN, to: 5_000, otherwise: 200 };
// Signatures are checked at the end, and count for five minutes.
const SECONDS = { from: SECONDS_MIN, to: 120, otherwise: 10 };
const SEED = { from: 0, to: 4_294_967_295 };

await command<{ count?: string; seconds?: string; seed?: string; receiver?: string; keep?: boolean }>({
  usage: `Usage: npm run demo [-- --count N --seconds N --keep --seed N --receiver FILE]

Starts everything on this machine, with a database of its own that is thrown away afterwards, and a local HTTPS receiver.
Creates schedules through the API, lets them fire, and compares what arrived with what was asked and with what the service
recorded. Exit code 0 only if all of it is as promised.

  --count N        schedules, ${COUNT.from} to ${COUNT.to} (default ${COUNT.otherwise})
  --seconds N      over which they fire, ${SECONDS.from} to ${SECONDS.to} (default ${SECONDS.otherwise})
  --keep           leaves everything running afterwards, until Ctrl-C
  --seed N         the same plan as an earlier run that named this number
  --receiver FILE  a receiver of your own, a module that speaks like scripts/demo/receiver.ts
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
      receiver: receiver === undefined ? fileURLToPath(new URL("./receiver.ts", import.meta.url)) : resolve(receiver),
      keep,
    }),
});

async function runDemo(options: Options): Promise<number> {
  const signal = listenForStop(() => process.exit(130));
  const progress = createProgress(process.stdout);
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-demo-"));
  let receiver: ReceiverProcess | undefined;
  let stack: Stack | undefined;
  try {
    // PostgreSQL runs as another user where this one is root, and has to get through.
    if (process.getuid?.() === 0) await chmod(folder, 0o711);
    receiver = await startReceiver(options.receiver);
    const caFile = join(folder, "receiver-ca.pem");
    await writeFile(caFile, receiver.ca);
    const { port } = receiver;
    stack = await startStack({
      dataDir: join(folder, "data"),
      receiver: { port, caFile },
      onLine: progress.log,
      signal,
    });
    return await runOnStack(stack, receiver, progress, options, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log("stopped");
    return 130;
  } finally {
    await stack?.stop();
    await receiver?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runOnStack(
  stack: Stack,
  receiver: ReceiverProcess,
  progress: ReturnType<typeof createProgress>,
  options: Options,
  signal: AbortSignal,
): Promise<number> {
  const partEnded = Promise.race([stack.ended, receiver.ended]).then((how) => Promise.reject(new SetupError(how)));
  // When all is over they end in good order, and nobody waits for this any more.
  partEnded.catch(() => {});
  const { accountId, key } = await stack.createAccount();
  const plan = planDemo({ ...options, startMs: Date.now(), receiverPort: receiver.port });
  const { arrivals } = receiver;
  const carried = carryOut(createClient(stack.baseUrl, key), { plan, arrivals, onProgress: progress.show, signal });
  const evidence = await Promise.race([carried, partEnded]).finally(progress.end);

  const broken = verify(evidence);
  console.log(`\n${renderTable(evidence)}\n`);
  console.log(broken.length === 0 ? "Everything happened as promised." : renderBroken(broken));
  if (broken.length > 0)
    console.log(`The same plan again: npm run demo -- --seed ${options.seed} with the same options`);
  if (options.keep) {
    console.log(`
Running until Ctrl-C.
sign in   ${stack.signInUrl}
API       ${stack.baseUrl}
key       ${key}
account   ${accountId}
receiver  https://localhost:${receiver.port}/hook/`);
    await Promise.race([aborted(signal), partEnded]);
  }
  return broken.length === 0 ? 0 : 1;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

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
