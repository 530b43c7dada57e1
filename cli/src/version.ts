import { readFileSync } from "node:fs";

/** The version of this package, which names its contents: `0.1.0-b1f2e3d4c5b6a`. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}
