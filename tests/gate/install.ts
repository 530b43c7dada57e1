import { needsOf, testFiles } from "./head.ts";
import { installNeeds } from "./needs.ts";

// Installs what is named, or else everything that a test names in its head.
const named = process.argv.slice(2);
await installNeeds(named.length > 0 ? named : needsOf(testFiles()));
