// node tests/simulation/write-trace.ts EVIDENCE > TRACE: what a chaos run did, without ids and addresses.
import { argv, stdout } from "node:process";
import { linesOfTrace, readTrace } from "./trace.ts";

for (const line of linesOfTrace(await readTrace(argv[2] ?? ""))) stdout.write(line);
