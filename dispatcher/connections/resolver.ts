import { promises as dns } from "node:dns";

/** The timeout of one query to a name server, ms, and the number of tries. Guards against silent ones. */
const TIMEOUT_MS = 2_500;
const TRIES = 3;
/** When one family has addresses, the other has this much longer to answer, ms. Guards against a family that is not answered for. */
const OTHER_FAMILY_MS = 250;

/**
 * The addresses of a name from the machine's DNS servers. A and AAAA are independent: one of them is enough, if `isUsable`
 * says so of its addresses. It does not use getaddrinfo, which occupies one of four threads for as long as a name
 * server is silent. `allowed` names belong to the operator and may be in /etc/hosts, so these do use getaddrinfo, one
 * call per name at a time. `signal` cancels the queries and closes their sockets. Throws the resolver's error when there
 * is no address, and when there is none to use while the other family is not known.
 */
export async function resolveName(
  hostname: string,
  allowed: boolean,
  signal: AbortSignal,
  isUsable: (addresses: string[]) => boolean = () => true,
): Promise<string[]> {
  if (allowed) return lookUp(hostname);
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  signal.addEventListener("abort", () => resolver.cancel());
  return addressesOf([resolver.resolve4(hostname), resolver.resolve6(hostname)], isUsable);
}

/** The addresses of the families that answer. Waits for both, but for a short time only when one has usable addresses. */
export async function addressesOf(
  families: Promise<string[]>[],
  isUsable: (addresses: string[]) => boolean,
): Promise<string[]> {
  const found: string[][] = [];
  const errors: NodeJS.ErrnoException[] = [];
  let timer: NodeJS.Timeout | undefined;
  let hasUsable = false;
  await new Promise<void>((resolve) => {
    const all = families.map((family, n) =>
      family.then(
        (addresses) => {
          found[n] = addresses;
          if (addresses.length === 0 || !isUsable(addresses)) return;
          hasUsable = true;
          timer ??= setTimeout(resolve, OTHER_FAMILY_MS);
        },
        (error: NodeJS.ErrnoException) => void errors.push(error),
      ),
    );
    void Promise.all(all).then(() => resolve());
  });
  clearTimeout(timer);
  // "No record" says less than what went wrong with the other family, which may have one.
  const unknown = errors.find(({ code }) => code !== "ENODATA" && code !== "ENOTFOUND");
  if (unknown && !hasUsable) throw unknown;
  const addresses = found.flat();
  if (addresses.length > 0) return addresses;
  throw errors[0] ?? new Error("no address");
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
