// Runs scripts/commands/<name>.ts. It is plain JavaScript, so that a Node.js that cannot run TypeScript can still print
// the message below.
import { existsSync } from "node:fs";
import { chdir, loadEnvFile } from "node:process";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Stopwatch needs Node.js 22.19 or later, and this is ${process.version}. Run "npm ci" and use the npm scripts: on most platforms they bring a Node.js of their own. Elsewhere install Node.js 24.`,
  );
  process.exit(1);
}
chdir(fileURLToPath(new URL("..", import.meta.url)));
if (existsSync(".env")) loadEnvFile(".env");
const [name] = process.argv.splice(2, 1);
await import("../db/quick-drizzle.ts");
await import(`./commands/${name}.ts`);
