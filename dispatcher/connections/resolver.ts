import { promises as dns } from "node:dns";

/** The timeout of one query to a name server, ms, and the number of tries. */
const TIMEOUT_MS = 2_500;
const TRIES = 3;

/**
 * All addresses of a name, of both families, from the machine's DNS servers. It does not use getaddrinfo, which
 * occupies one of four threads for as long as a name server is silent. `allowed` names belong to the operator and may
 * be in /etc/hosts, so these do use getaddrinfo, one call per name at a time. `signal` cancels the queries and closes
 * their sockets. Throws the resolver's error when there is no address.
 */
export async function resolveName(hostname: string, allowed: boolean, signal: AbortSignal): Promise<string[]> {
  if (allowed) return lookUp(hostname);
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  signal.addEventListener("abort", () => resolver.cancel());
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [v4, v6].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw v4.status === "rejected" ? v4.reason : new Error("no address");
  // Fail when one family could not be queried: it might contain a forbidden address. "No record" is an answer.
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
