import { promises } from "node:dns";
import { env } from "node:process";

// Loaded by `--import` into a process under test, so that its names are answered on loopback: `*.many.localhost` is this
// machine, and questions for DNS records go to the name server at LOOPBACK_NAME_SERVER (`127.0.0.1:<port>`).

const { lookup, Resolver } = promises;
const MANY = ".many.localhost";

promises.lookup = ((hostname: string, options: object) =>
  hostname.endsWith(MANY)
    ? Promise.resolve([{ address: "127.0.0.1", family: 4 }])
    : lookup(hostname, options)) as typeof lookup;

// biome-ignore lint/style/noProcessEnv: a setting of this file alone, in a process that reads its own by config.ts
const server = env.LOOPBACK_NAME_SERVER;
if (server)
  promises.Resolver = class extends Resolver {
    constructor(options?: ConstructorParameters<typeof Resolver>[0]) {
      super(options);
      this.setServers([server as string]);
    }
  };
