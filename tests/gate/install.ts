import { globSync } from "node:fs";
import { readHead } from "./head.ts";
import { installNeeds } from "./needs.ts";

// Installs what tests need besides npm ci: what is named, or else everything that a test names in its head.
const named = process.argv.slice(2);
const all = () => globSync("tests/**/*.test.ts").flatMap((file) => readHead(file).needs);
await installNeeds(named.length > 0 ? named : all());
