import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { command, UsageError } from "#scripts/command.ts";
import { listenForStop, Stopped } from "#scripts/stop-signal.ts";
import { changeInTime, collect, countOpen, createAll } from "./carry-out.ts";
import { type Client, createClient } from "./client.ts";
import { COUNT_MIN, type DemoPlan, planDemo, SECONDS_MIN } from "./plan.ts";
import { createProgress } from "./progress.ts";
import { type ReceiverProcess, startReceiver } from "./receiver-process.ts";
import { renderBroken, renderTable } from "./report.ts";
import { demoSettings, type Stack, startStack } from "./stack.ts";
import { type Evidence, verify } from "./verify.ts";

const OWN_RECEIVER = fileURLToPath(new URL("./receiver.ts", import.meta.url));
const COUNT_MAX = 5_000;
const SECONDS_MAX = 120;
/** What the last retries may take after the last schedule fired, and more. */
const SETTLE_MS_MAX = 20_000;
/** A request that nobody expects any more would come within this. */
const QUIET_MS = 1_000;

await command<{ count?: string; seconds?: string; seed?: string; receiver?: string; keep?: boolean }>({
  usage: `Usage: npm run demo [-- --count N --seconds N --seed N --receiver FILE --keep]

Starts all of Stopwatch in a folder of its own, schedules real HTTPS requests to a receiver
on this machine, and checks what arrives against what was asked. Exit code 0: all as promised.

  --count N        schedules to create (200; ${COUNT_MIN} to ${COUNT_MAX})
  --seconds N      the time over which they fire (10; ${SECONDS_MIN} to ${SECONDS_MAX})
  --seed N         repeats the plan of a former run
  --receiver FILE  the program that receives, instead of scripts/demo/receiver.ts, which shows
                   what it must tell the demo
  --keep           leave everything running afterwards, until Ctrl-C
  --help           show this`,
  options: {
    count: { type: "string" },
    seconds: { type: "string" },
    seed: { type: "string" },
    receiver: { type: "string" },
    keep: { type: "boolean" },
  },
  run: (options) =>
    runDemo({
      count: readInteger("--count", options.count, { from: COUNT_MIN, to: COUNT_MAX, otherwise: 200 }),
      seconds: readInteger("--seconds", options.seconds, { from: SECONDS_MIN, to: SECONDS_MAX, otherwise: 10 }),
      seed: readInteger("--seed", options.seed, { from: 0, to: 999_999, otherwise: Date.now() % 1_000_000 }),
      receiver: options.receiver === undefined ? OWN_RECEIVER : resolve(options.receiver),
      keep: options.keep ?? false,
    }),
});

type Options = { count: number; seconds: number; seed: number; receiver: string; keep: boolean };

async function runDemo(options: Options): Promise<number> {
  const signal = listenForStop(() => process.exit(130));
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-demo-"));
  // PostgreSQL runs as another user where this one is root.
  await chmod(folder, 0o711);
  let receiver: ReceiverProcess | undefined;
  let stack: Stack | undefined;
  try {
    receiver = await startReceiver(options.receiver);
    await writeFile(join(folder, "ca.pem"), receiver.ca);
    stack = await startStack(demoSettings(folder, receiver.port), (line) => console.log(line));
    const { accountId, key } = await stack.createAccount();
    const client = createClient(stack.baseUrl, key);
    const lost = Promise.race([stack.ended, receiver.ended]).then((how) => Promise.reject(new Error(how)));
    const evidence = await Promise.race([deliver(client, receiver, options, signal), lost]);
    const broken = verify(evidence);
    console.log(`\n${renderTable(evidence)}\n`);
    console.log(broken.length === 0 ? "Everything is as promised." : renderBroken(broken));
    if (broken.length > 0) console.log(`The same plan again: npm run demo -- --seed ${options.seed}`);
    if (options.keep) {
      console.log(`\napi       ${stack.baseUrl}\nreceiver  https://localhost:${receiver.port}/hook/…\naccount   ${accountId}\nkey       ${key}\ndata      ${folder}\nrunning until Ctrl-C`);
      await Promise.race([untilStopped(signal), lost]);
    }
    return broken.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return 130;
  } finally {
    await stack?.stop();
    await receiver?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
