import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { promises as dns } from "node:dns";
import net from "node:net";
import { isAnswered, isResourceCode } from "./own-fault-codes.ts";

/** Ways to ask this machine about its network. */
export type NetworkProbes = {
  /** Whether this machine knows a way to `address`. */
  hasRoute: (address: string) => Promise<boolean>;
  /** Asks the name servers for a name that nobody has. Returns the code of their failure, null when they answer. */
  askNameServers: () => Promise<string | null>;
};

const DISCARD_PORT = 9;
/** How long a name server may take, ms, and the number of tries; c-ares doubles the time with each. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;

export const networkProbes: NetworkProbes = { hasRoute, askNameServers };

/** Connects a UDP socket, for which the system looks for a route and sends nothing. */
function hasRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(net.isIPv6(address) ? "udp6" : "udp4");
    const end = (error?: NodeJS.ErrnoException | null) => {
      socket.removeAllListeners().on("error", () => {});
      socket.close();
      resolve(!error || isResourceCode(error.code));
    };
    socket.once("error", end);
    // Typed without its error, which it has when there is no route.
    socket.connect(DISCARD_PORT, address, end as () => void);
  });
}

async function askNameServers(): Promise<string | null> {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  try {
    // A name that no cache can answer for name servers behind it.
    await resolver.resolve4(`${randomBytes(10).toString("hex")}.com`);
    return null;
  } catch (error) {
    return isAnswered(error as Error) ? null : ((error as NodeJS.ErrnoException).code ?? "");
  }
}
