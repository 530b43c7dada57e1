// Runs the checks in this process: Node.js, Bun, Deno. It is copied beside checks.ts, into a project that has the SDK.
import { runChecks } from "./checks.ts";

const [surroundings] = globalThis.Deno?.args ?? process.argv.slice(2);
console.log(JSON.stringify(await runChecks(JSON.parse(surroundings))));
