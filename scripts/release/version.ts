import { SetupError } from "../setup-error.ts";

/**
 * Throws SetupError unless `version` is a version x.y.z (Semantic Versioning 2.0.0, without pre-releases) above all that
 * `tags` name as vx.y.z.
 */
export function assertNextVersion(version: string, tags: readonly string[]): void {
  const next = parse(version);
  if (next === undefined) throw new SetupError(`'${version}' is not a version such as 0.1.0.`);
  for (const tag of tags) {
    const released = tag.startsWith("v") ? parse(tag.slice(1)) : undefined;
    if (released && compare(next, released) <= 0) {
      throw new SetupError(`${tag} is released. Give a later version: "npm run release -- --version x.y.z".`);
    }
  }
}

function parse(version: string): number[] | undefined {
  if (!/^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){2}$/.test(version)) return undefined;
  return version.split(".").map(Number);
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
