// Applies patches/<package>+<version>.patch to the installed packages. npm runs it at the end of each install, in
// production too. "--check" changes nothing and fails when a file is not patched. It is plain JavaScript without
// packages, because it also runs on a Node.js that cannot run TypeScript.
//
// A patch is the output of "git diff --full-index". Its index lines hold git's hash of each file before and after, so
// another version of the package, a changed file and a hunk in another place are all refused.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const ROOT = new URL("../", import.meta.url);

function main() {
  const names = readdirSync(new URL("patches/", ROOT)).filter((name) => name.endsWith(".patch"));
  // Every file is patched in memory before the first one is written.
  const changes = names.flatMap(changesOf);
  if (process.argv.includes("--check") && changes.length > 0) throw new Error('Files are not patched: run "npm ci".');
  for (const { file, text } of changes) {
    // A new file in its place: the old one may be a hard link that other installations share.
    const draft = new URL(`${file.href}.${process.pid}`);
    writeFileSync(draft, text);
    renameSync(draft, file);
  }
}

function changesOf(name) {
  const [packageName, version] = name.replace(/\.patch$/, "").split(/\+(?=\d)/);
  const manifest = new URL(`node_modules/${packageName.replace("+", "/")}/package.json`, ROOT);
  const installed = JSON.parse(readFileSync(manifest, "utf8")).version;
  if (installed !== version) throw new Error(`${name} is for another version: ${installed} is installed.`);

  // A checkout on Windows may have changed the line ends.
  const patch = readFileSync(new URL(`patches/${name}`, ROOT), "utf8").replaceAll("\r\n", "\n");
  const diffs = patch.split(/^diff --git /m).slice(1);
  if (diffs.length === 0) throw new Error(`${name} changes no file.`);
  return diffs.map((diff) => changeOf(name, diff)).filter((change) => change !== undefined);
}

function changeOf(name, diff) {
  const path = diff.match(/^\+\+\+ b\/(node_modules\/.+)$/m)?.[1];
  const [, before, after] = diff.match(/^index ([0-9a-f]{40})\.\.([0-9a-f]{40})/m) ?? [];
  if (!path || !before) throw new Error(`${name} is not the output of "git diff --full-index".`);
  const file = new URL(path, ROOT);
  const found = readFileSync(file, "utf8");
  if (hashOf(found) === after) return undefined;
  if (hashOf(found) !== before)
    throw new Error(`${name} does not fit: ${path} is not the published file: run "npm ci".`);
  const text = patched(found, diff);
  if (hashOf(text) !== after) throw new Error(`${name} is damaged: ${path} would not get the hash that it names.`);
  return { file, text };
}

// Kept and removed lines are not compared, since the hashes of the whole file prove them.
function patched(original, diff) {
  const lines = original.split("\n");
  const result = [];
  let taken = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [head, ...body] = hunk.split("\n");
    const start = Number(head.match(/^@@ -(\d+)/)[1]) - 1;
    result.push(...lines.slice(taken, start));
    taken = start;
    for (const line of body) {
      if (line[0] === "+") result.push(line.slice(1));
      else if (line[0] === " ") result.push(lines[taken++]);
      else if (line[0] === "-") taken++;
    }
  }
  return [...result, ...lines.slice(taken)].join("\n");
}

// As git names the content of a file.
function hashOf(text) {
  return createHash("sha1")
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest("hex");
}

try {
  main();
} catch (error) {
  console.error(`The patches cannot be applied. ${error.message}`);
  process.exitCode = 1;
}
