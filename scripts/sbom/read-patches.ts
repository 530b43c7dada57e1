import { readdir, readFile } from "node:fs/promises";
import type { Patches } from "./cyclonedx.ts";

/** The patches of patches/, by the package and the version that they are for. */
export async function readPatches(): Promise<Patches> {
  const names = (await readdir("patches")).filter((name) => name.endsWith(".patch"));
  const texts = names.map(async (name) => {
    const [packageName, version] = name.replace(/\.patch$/, "").split(/\+(?=\d)/);
    return [`${packageName?.replace("+", "/")}@${version}`, await readFile(`patches/${name}`, "utf8")] as const;
  });
  return new Map(await Promise.all(texts));
}
