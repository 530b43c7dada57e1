import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Look } from "../../tests/helpers/page-checks.ts";
import type { PageHarness } from "../../tests/pages/harness.ts";
import { command, UsageError } from "../command.ts";
import { withPageHarness } from "../with-page-harness.ts";

await command<{ only?: string; widths: string; to: string }>({
  usage: `Usage: npm run shots [-- --only TEXT] [--to FOLDER]

Starts everything with seeded accounts in a temporary folder, and writes a picture of every page in several widths and two
themes: FOLDER/<width>-<theme>/<page>--<state>.png.

  --only TEXT      pages whose name contains it, such as schedules
  --widths PX,PX   widths of the window from 320 to 3840, 320,768,1280 by default
  --to FOLDER      where to, default shots/, which git ignores`,
  options: {
    only: { type: "string" },
    widths: { type: "string", default: "320,768,1280" },
    to: { type: "string", default: "shots" },
  },
  async run({ only = "", widths, to }) {
    const looks = looksOf(widths);
    await withPageHarness("shots", (harness) => shootAll(harness, only, looks, to));
    return 0;
  },
});

function looksOf(widths: string): Look[] {
  const each = widths.split(",").map(Number);
  if (!each.every((width) => Number.isInteger(width) && width >= 320 && width <= 3840))
    throw new UsageError(`--widths takes whole numbers from 320 to 3840 with commas between, not ${widths}.`);
  return (["light", "dark"] as const).flatMap((theme) => each.map((width) => ({ theme, width })));
}

async function shootAll(harness: PageHarness, only: string, looks: readonly Look[], to: string): Promise<void> {
  const pages = harness.pages.filter(({ name }) => name.includes(only));
  for (const look of looks) {
    const folder = join(to, `${look.width}-${look.theme}`);
    await mkdir(folder, { recursive: true });
    for (const shown of pages) {
      const { page, close } = await harness.open(shown, look);
      await page.screenshot({ path: join(folder, `${shown.name}.png`), fullPage: true });
      await close();
    }
    console.log(`${folder}: ${pages.length} pictures`);
  }
}
