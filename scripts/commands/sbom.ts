import { command } from "../command.ts";
import { describeCheckout } from "../sbom/describe-checkout.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run --silent sbom > stopwatch.cdx.json

Writes what production consists of, on every platform, as a CycloneDX 1.6 document (JSON): the packages of
package-lock.json with their hashes and licenses, the PostgreSQL and the Node.js that some of them carry, and our patches.`,
  options: {},
  async run() {
    console.log(await describeCheckout(new Date()));
    return 0;
  },
});
