import { runNode } from "../integration/scripts/script-process.ts";

/** Arguments of Node.js that make the production build, unless it is up to date. */
export const BUILD_PAGES = [
  "--input-type=module",
  "-e",
  `
  import { buildWhenNeeded } from "#scripts/stack/build.ts";
  await buildWhenNeeded({ onLog: console.log });`,
];

/** Makes the production build before the tests that need it, unless it is up to date, so that no test's time contains it. */
export default async function buildPages(): Promise<void> {
  const { exited, stderr } = runNode(BUILD_PAGES);
  if ((await exited) !== 0) throw new Error(stderr.join("\n"));
}
