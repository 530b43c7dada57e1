import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { describeListenProblem } from "#domain/listen-problem.ts";
import { SetupError } from "./setup-error.ts";

/** Ports that no system gives out by itself (Linux begins with 32768) and that need no right. */
const UNASSIGNED = [11_000, 32_000] as const;

/**
 * Returns the wanted port of the loopback interface if nobody listens there, otherwise (and for 0) any free one: of those
 * that a system gives to nobody by itself, so that it is still free when a process listens on it seconds later. Throws when
 * none of 20 is free.
 */
export async function freePort(wanted = 0): Promise<number> {
  const ports = [wanted || anyUnassigned(), ...Array.from({ length: 19 }, anyUnassigned)];
  for (const port of ports) {
    const isFree = await tryPort("127.0.0.1", port).catch(() => false);
    if (isFree) return port;
  }
  throw new SetupError(`None of these ports of the loopback interface is free: ${ports.join(", ")}.`);
}

const anyUnassigned = () => randomInt(...UNASSIGNED);

/**
 * Returns the port that `setting` has, or a free one if it is 0. Throws a SetupError when this process cannot listen on
 * it.
 */
export async function listenablePortOrThrow(setting: string, host: string, port: number): Promise<number> {
  return tryPort(host, port || (await freePort())).catch((error: NodeJS.ErrnoException) => {
    throw new SetupError(describeListenProblem({ setting, host, port }, error.code));
  });
}

function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(port, host, () => probe.close(() => resolve(port)));
  });
}
