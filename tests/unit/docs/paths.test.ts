import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lexer } from "marked";
import { expect, it } from "vitest";
import { headingIds } from "#components/docs/headings.ts";
import manifest from "#package.json" with { type: "json" };

const isInstalled = (path: string) => basename(path) === "node_modules";
const DOCS = globSync(["*.md", "{app,cli,contract,db,dispatcher,docs,examples,scripts,sdk,server,tests}/**/*.md"], {
  exclude: isInstalled,
}).filter((path) => path !== "CHANGELOG.md");
/** Folders whose README says what is in them and what may be touched. */
const FOLDERS = ["dispatcher", "server", "db", "tests"];
const FILES = new Set(
  globSync(
    [
      "*.*",
      "{app,billing,cli,components,contract,db,dispatcher,docs,domain,mail,patches,scripts,sdk,server,tests}/**/*",
    ],
    {
      exclude: isInstalled,
    },
  ),
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

it.each(DOCS)("every file and heading that %s links to exists", (doc) => {
  const missing = linksOf(doc).filter((link) => {
    const [to = "", heading] = link.split("#");
    const file = to === "" ? doc : join(dirname(doc), to);
    return !existsSync(file) || (heading !== undefined && !headingsOf(file).has(heading));
  });
  expect(missing).toEqual([]);
});

it.each(DOCS.filter((doc) => !doc.startsWith("examples/")))("every npm script that %s names exists", (doc) => {
  const named = readFileSync(doc, "utf8").matchAll(/\bnpm run (?:--\S+ )*([\w:-]+)/g);
  const missing = [...named].map(([, script = ""]) => script).filter((script) => !(script in manifest.scripts));
  expect(missing).toEqual([]);
});

it("the architecture has at most 250 lines, and the README of each folder a screen of 70", () => {
  const long = [
    ["docs/architecture.md", 250] as const,
    ...FOLDERS.map((at) => [`${at}/README.md`, 70] as const),
  ].filter(([doc, max]) => readFileSync(doc, "utf8").trimEnd().split("\n").length > max);
  expect(long).toEqual([]);
});

/** The links and pictures of a document that lead to files of the project, without those in code. */
function linksOf(doc: string): string[] {
  const text = proseOf(doc).replaceAll(/`[^`\n]+`/g, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)];
  return links.map(([, link, picture]) => link ?? picture ?? "").filter((to) => !/^[a-z]+:/.test(to));
}

const headingsOf = (file: string) => new Set(headingIds(lexer(readFileSync(file, "utf8"))).values());

/** The code spans of a document that are paths, without those in code blocks. */
function named(doc: string): string[] {
  const spans = [...proseOf(doc).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return spans.filter((span) => IS_PATH.test(span) && !MADE_AT_RUN_TIME.test(span) && !(span in manifest.dependencies));
}

const proseOf = (doc: string) => readFileSync(doc, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");

/** Paths count from the root, from the document's own folder, or from `dispatcher/`; a file may be named alone. */
function isThere(path: string, doc: string): boolean {
  if (!path.includes("/")) return NAMES.has(path);
  return ["", dirname(doc), "dispatcher"].some((folder) => existsSync(join(folder, path)));
}
