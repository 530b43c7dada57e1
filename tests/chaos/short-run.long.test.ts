// Guards: dispatcher/**, domain/**, db/functions/**, db/queries/schedules/**, db/queries/recurrences/**, server/recurrences/**, db/queries/fleet/**, db/client*.ts, db/driver.ts, tests/chaos/**, db/queries/attempts/record.ts, scripts/commands/chaos.ts, scripts/lab/**
// Final: its verdict is about what was sent, and what was recorded of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `npm run chaos` with these flags until it ends. */
async function chaos(...flags: string[]) {
  const child = spawn(process.execPath, ["scripts/run.mjs", "chaos", ...flags], { cwd: ROOT });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return { code, output };
}

it("a short run with kills, stops, partitions and restarts loses nothing, repeats nothing without cause and records the truth", async () => {
  const { code, output } = await chaos("--seconds", "15", "--seed", "4523", "--rate", "20", "--dispatchers", "3");
  expect(code, output).toBe(0);
});

it("npm run chaos refuses wrong options", async () => {
  const { code, output } = await chaos("--rate", "none");
  expect(code).toBe(2);
  expect(output).toContain("--rate: a whole number from 1 to 1000");
});
