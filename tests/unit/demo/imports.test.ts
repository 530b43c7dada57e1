import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const OWN = /^(\.\.?\/|#scripts\/)[a-z-]+\.ts$/;
const PACKAGE = /^(node:.+|standardwebhooks|@peculiar\/x509|reflect-metadata)$/;

test("the demo is a client of the service and imports none of its code", () => {
  const folder = fileURLToPath(new URL("../../../scripts/demo/", import.meta.url));
  const imported = readdirSync(folder).flatMap((file) => importsOf(readFileSync(folder + file, "utf8")));
  expect(imported).toContain("standardwebhooks");
  expect(imported.filter((name) => !OWN.test(name) && !PACKAGE.test(name))).toEqual([]);
});

function importsOf(source: string): string[] {
  const matches = source.matchAll(/^(?:import|export|\}).*?"([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm);
  return [...matches].map(([, fixed, called]) => fixed ?? called ?? "");
}
