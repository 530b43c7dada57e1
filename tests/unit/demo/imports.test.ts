import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const OWN = /^(\.\.?\/|#scripts\/|#scripts\/lab\/)[a-z-]+\.ts$/;
const PACKAGE = /^(node:.+|standardwebhooks|@peculiar\/x509|reflect-metadata)$/;

test("the demo and the lab are clients of the service and import none of its code", () => {
  const folders = ["demo", "lab"].map((name) => fileURLToPath(new URL(`../../../scripts/${name}/`, import.meta.url)));
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => folder + file));
  const imported = files.flatMap((file) => importsOf(readFileSync(file, "utf8")));
  expect(imported).toContain("standardwebhooks");
  expect(imported.filter((name) => !OWN.test(name) && !PACKAGE.test(name))).toEqual([]);
});

function importsOf(source: string): string[] {
  const matches = source.matchAll(/^(?:import|export|\}).*?"([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm);
  return [...matches].map(([, fixed, called]) => fixed ?? called ?? "");
}
