import { createServer } from "node:net";
import { describeListenProblem } from "#domain/listen-problem.ts";
import { SetupError } from "./setup-error.ts";

/** Returns the wanted port of the loopback interface if nobody listens there, otherwise (and for 0) any free one. */
export async function freePort(wanted = 0): Promise<number> {
  return tryPort("127.0.0.1", wanted).catch(() => tryPort("127.0.0.1", 0));
}

/**
 * Returns the port that `setting` has, or a free one if it is 0. Throws a SetupError when this process cannot listen on
 * it.
 */
export async function listenablePortOrThrow(setting: string, host: string, port: number): Promise<number> {
  return tryPort(host, port).catch((error: NodeJS.ErrnoException) => {
    throw new SetupError(describeListenProblem({ setting, host, port }, error.code));
  });
}

function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(port, host, () => {
      const address = probe.address() as { port: number };
      probe.close(() => resolve(address.port));
    });
  });
}
