import { promises } from "node:dns";
import { env } from "node:process";

// Loaded by `--import` into a process under test, to answer its names on loopback. `*.many.localhost` is this machine,
// and DNS questions go to the name server at LOOPBACK_NAME_SERVER (`127.0.0.1:<port>`). LOOPBACK_MANY (`<names>
// <port>,<port>…`) adds `http://o<n>.many.localhost:<port>` to DELIVERY_ALLOW for each n below `names`, with the ports
// in turn, since one environment variable cannot hold that many on Linux.

const { lookup, Resolver } = promises;
const MANY = ".many.localhost";

promises.lookup = ((hostname: string, options: object) =>
  hostname.endsWith(MANY)
    ? Promise.resolve([{ address: "127.0.0.1", family: 4 }])
    : lookup(hostname, options)) as typeof lookup;

// biome-ignore-start lint/style/noProcessEnv: settings of this file alone, and one that no environment can hold
const server = env.LOOPBACK_NAME_SERVER;
if (env.LOOPBACK_MANY) {
  const [names, list = ""] = env.LOOPBACK_MANY.split(" ");
  const ports = list.split(",");
  const many = Array.from({ length: Number(names) }, (_, n) => `http://o${n}${MANY}:${ports[n % ports.length]}`);
  env.DELIVERY_ALLOW = [env.DELIVERY_ALLOW, ...many].join(",");
}
// biome-ignore-end lint/style/noProcessEnv: see above
if (server)
  promises.Resolver = class extends Resolver {
    constructor(options?: ConstructorParameters<typeof Resolver>[0]) {
      super(options);
      this.setServers([server as string]);
    }
  };
