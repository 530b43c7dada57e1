import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import manifest from "#package.json" with { type: "json" };

const DOCS = globSync(["*.md", "docs/**/*.md", "tests/*/README.md"]).filter((path) => path !== "CHANGELOG.md");
const FILES = new Set(
  globSync(["*.*", "{app,components,db,dispatcher,docs,domain,mail,patches,scripts,sdk,server,tests}/**/*"], {
    exclude: (path) => basename(path) === "node_modules",
  }),
);
const NAMES = new Set([...FILES].map((path) => basename(path)));

/** Files that exist only in a data folder, in a build, or after a run. */
const MADE_AT_RUN_TIME = /^(DATA_DIR\/|evidence\.json$)/;
/** A path in a document is a folder, which ends in a slash, or a file of one of these kinds. */
const IS_PATH = /^[\w@()[\]-][\w.@()[\]-]*(\/[\w.@()[\]-]+)*(\/|\.(ts|tsx|mjs|js|json|md|sql|css|patch))$/;

it.each(DOCS)("every path that %s names in backticks exists", (doc) => {
  const missing = named(doc).filter((path) => !isThere(path, doc));
  expect(missing).toEqual([]);
});

it.each(DOCS)("every file that %s links to exists", (doc) => {
  const links = [...readFileSync(doc, "utf8").matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map(([, to = ""]) => to);
  const missing = links.filter((to) => !/^[a-z]+:/.test(to) && !existsSync(join(dirname(doc), to)));
  expect(missing).toEqual([]);
});

/** The code spans of a document that are paths, without those in code blocks. */
function named(doc: string): string[] {
  const text = readFileSync(doc, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return spans.filter((span) => IS_PATH.test(span) && !MADE_AT_RUN_TIME.test(span) && !(span in manifest.dependencies));
}

/** Paths count from the root, from the document's own folder, or from `dispatcher/`; a file may be named alone. */
function isThere(path: string, doc: string): boolean {
  if (!path.includes("/")) return NAMES.has(path);
  return ["", dirname(doc), "dispatcher"].some((folder) => existsSync(join(folder, path)));
}
