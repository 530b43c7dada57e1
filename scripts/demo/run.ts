import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SetupError } from "#scripts/setup-error.ts";
import { createProgress } from "../progress.ts";
import { listenForStop } from "../stop-signal.ts";
import { carryOut, prepare } from "./carry-out.ts";
import { type Client, createClient } from "./client.ts";
import { planDemo, planRefused } from "./plan.ts";
import { type ReceiverProcess, startReceiver } from "./receiver-process.ts";
import { renderBroken, renderLate, renderTable } from "./report.ts";
import { type Stack, startStack } from "./stack.ts";
import { cameTooLate, type Evidence, verify } from "./verify.ts";

/**
 * `seconds` is the time over which the schedules fire, `receiver` the file of a receiver's module. `keep` keeps
 * everything running afterwards.
 */
export type DemoOptions = { count: number; seconds: number; seed: number; receiver: string; keep: boolean };

/**
 * Runs the demo: starts everything and a receiver, carries out the plan of `options`, and compares what arrived with
 * what was requested. Returns the exit code: 0 when everything was as promised, 1 when not, 130 when it was stopped.
 * Throws a SetupError when it cannot start.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const signal = listenForStop(() => process.exit(130));
  const progress = createProgress(process.stdout);
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-demo-"));
  let receiver: ReceiverProcess | undefined;
  let stack: Stack | undefined;
  try {
    // For root, PostgreSQL runs as another user, which has to traverse this folder.
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
  options: DemoOptions,
  signal: AbortSignal,
): Promise<number> {
  const partEnded = Promise.race([stack.lost, receiver.lost]).catch(({ message }): never => {
    throw new SetupError(message);
  });
  // At the end of the demo they stop normally, and nobody awaits this promise.
  partEnded.catch(() => {});
  const { accountId, key } = await stack.createAccount();
  const carried = carryOutInTime(createClient(stack.baseUrl, key), receiver, progress, options, signal);
  const evidence = await Promise.race([carried, partEnded]).finally(progress.end);

  const broken = verify(evidence);
  const late = evidence.outcomes.filter(cameTooLate);
  console.log(`\n${renderTable(evidence)}\n`);
  if (broken.length === 0 && late.length === 0) console.log("Everything happened as promised.");
  if (late.length > 0) console.log(`${renderLate(late)} Try fewer (--count) over more seconds (--seconds).`);
  if (broken.length > 0)
    console.log(
      `${renderBroken(broken)}\nTo repeat this plan: npm run demo -- --seed ${options.seed} with the same options`,
    );
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
  return broken.length === 0 && late.length === 0 ? 0 : 1;
}

// A busy machine may create or change schedules too late, which says nothing about the service. Then the plan is carried out
// once more, and slower.
async function carryOutInTime(
  client: Client,
  { port: receiverPort, arrivals }: ReceiverProcess,
  progress: ReturnType<typeof createProgress>,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<Evidence> {
  const prepared = await prepare(client, planRefused({ nowMs: Date.now(), receiverPort }));
  for (let slowness = 1; ; slowness *= SLOWER) {
    const startMs = Date.now();
    const plan = planDemo({ ...options, slowness, startMs, receiverPort });
    const outcomes = await carryOut(client, { plan, arrivals, onProgress: progress.show, signal });
    const evidence = { ...prepared, outcomes, arrivals };
    const late = outcomes.filter(cameTooLate);
    const isLast = (plan.lastFireAtMs - startMs) * SLOWER > REPEATED_MS_MAX;
    if (late.length === 0 || isLast || verify(evidence).length > 0) return evidence;
    progress.log(`${renderLate(late)} Once more, ${SLOWER} times as slowly.`);
    arrivals.splice(0);
  }
}

const SLOWER = 3;
/** So that a signature is no older than five minutes when it is checked. */
const REPEATED_MS_MAX = 150_000;

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}
