import { promises as dns } from "node:dns";

/** Of each question to a name server, ms; and how often it is asked. */
const TIMEOUT_MS = 2_500;
const TRIES = 3;

/**
 * All addresses of a name, of both families, by the DNS servers of the machine. Not by getaddrinfo, which holds one of
 * four threads for as long as a name server is silent. `allowed` names are the operator's own and may stand in
 * /etc/hosts, so getaddrinfo looks these up; of one name once at a time. `signal` ends the questions, and their sockets.
 * Throws the resolver's error when there is none.
 */
export async function resolveName(hostname: string, allowed: boolean, signal: AbortSignal): Promise<string[]> {
  if (allowed) return lookUp(hostname);
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  signal.addEventListener("abort", () => resolver.cancel());
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [v4, v6].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw v4.status === "rejected" ? v4.reason : new Error("no address");
  // A family that could not be asked must not hide a bad address in it. That it has no record is an answer.
  for (const answer of [v4, v6]) {
    if (answer.status === "rejected" && !/^(ENODATA|ENOTFOUND)$/.test(answer.reason?.code)) throw answer.reason;
  }
  return addresses;
}

const lookUps = new Map<string, Promise<string[]>>();

function lookUp(hostname: string): Promise<string[]> {
  let lookUp = lookUps.get(hostname);
  if (!lookUp) {
    lookUp = dns.lookup(hostname, { all: true }).then((answers) => answers.map(({ address }) => address));
    lookUps.set(hostname, lookUp);
    const forget = () => lookUps.delete(hostname);
    lookUp.then(forget, forget);
  }
  return lookUp;
}
