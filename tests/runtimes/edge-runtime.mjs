// Runs the checks, bundled as a script that sets `checks`, in Vercel's emulation of its edge. Arguments: the bundle, the
// surroundings.
import { readFile } from "node:fs/promises";
import { EdgeVM } from "@edge-runtime/vm";

const [bundle, surroundings] = process.argv.slice(2);
const edge = new EdgeVM();
edge.evaluate(await readFile(bundle, "utf8"));
console.log(JSON.stringify(await edge.evaluate(`checks.runChecks(${surroundings})`)));
