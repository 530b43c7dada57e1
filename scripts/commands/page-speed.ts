import type { PageHarness } from "../../tests/pages/harness.ts";
import { measurePageSpeed, measureWays } from "../../tests/pages/page-speed.ts";
import { command } from "../command.ts";
import { withPageHarness } from "../with-page-harness.ts";

await command<{ only?: string; rounds: string; rest: string }>({
  usage: `Usage: npm run page-speed [-- --only TEXT] [--rounds N] [--rest MS]

Starts everything with seeded accounts in a temporary folder, opens the pages in a headless Chromium, and prints for each the
compressed bytes of its JavaScript, and when its first byte came and its first content was painted; then the time from a click
to the painted answer on the usual ways. Medians; on this machine alone, without a network between.

  --only TEXT   pages whose name contains it, such as docs; "ways" for the ways alone
  --rounds N    how often, 5
  --rest MS     how long the pointer rests on a link before it is pressed, 0`,
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    rest: { type: "string", default: "0" },
  },
  async run({ only = "", rounds, rest }) {
    await withPageHarness("page-speed", async (harness) => {
      await printPages(harness, only, Number(rounds));
      if (only === "" || only === "ways") await printWays(harness, Number(rounds), Number(rest));
    });
    return 0;
  },
});

async function printPages(harness: PageHarness, only: string, rounds: number): Promise<void> {
  console.log(`${"page".padEnd(36)} JavaScript  first byte  painted`);
  for (const shown of harness.pages.filter(({ name }) => name.includes(only))) {
    const { page, scriptBytes, firstByteMs, paintedMs } = await measurePageSpeed(harness, shown, rounds);
    const kb = `${(scriptBytes / 1_000).toFixed(1)} kB`;
    console.log(`${page.padEnd(36)} ${kb.padStart(10)}  ${ms(firstByteMs).padStart(10)}  ${ms(paintedMs).padStart(7)}`);
  }
}

async function printWays(harness: PageHarness, rounds: number, restMs: number): Promise<void> {
  console.log(`\n${"click to painted".padEnd(36)}     median     most`);
  for (const { way, p50Ms, maxMs } of await measureWays(harness, rounds, restMs)) {
    console.log(`${way.padEnd(36)} ${ms(p50Ms).padStart(10)}  ${ms(maxMs).padStart(7)}`);
  }
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
