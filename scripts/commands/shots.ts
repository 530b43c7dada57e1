import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "#db/migrate.ts";
import type { Look } from "../../tests/helpers/page-checks.ts";
import { type PageHarness, startPageHarness } from "../../tests/pages/harness.ts";
import { command } from "../command.ts";
import { startEmbeddedPostgres } from "../postgres/embedded.ts";

const WIDTHS = [320, 768, 1280];
const LOOKS: readonly Look[] = (["light", "dark"] as const).flatMap((theme) =>
  WIDTHS.map((width) => ({ theme, width })),
);

await command<{ only?: string; to: string }>({
  usage: `Usage: npm run shots [-- --only TEXT] [--to FOLDER]

Starts everything with seeded accounts in a temporary folder, and writes a picture of every page in three widths and two
themes: FOLDER/<width>-<theme>/<page>--<state>.png.

  --only TEXT   pages whose name contains it, such as schedules
  --to FOLDER   where to, default shots/, which git ignores`,
  options: { only: { type: "string" }, to: { type: "string", default: "shots" } },
  async run({ only = "", to }) {
    const folder = await mkdtemp(join(tmpdir(), "stopwatch-shots-"));
    // PostgreSQL runs as another user when this process runs as root.
    await chmod(folder, 0o711);
    const server = await startEmbeddedPostgres(folder);
    try {
      await migrate(server.url);
      const harness = await startPageHarness(server.url);
      try {
        await shootAll(harness, only, to);
      } finally {
        await harness.stop();
      }
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
    return 0;
  },
});

async function shootAll(harness: PageHarness, only: string, to: string): Promise<void> {
  const pages = harness.pages.filter(({ name }) => name.includes(only));
  for (const look of LOOKS) {
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
