import { type LockedPackages, placeOf } from "../lockfile/missing-platforms.ts";

/**
 * Returns what `npm ci --omit=dev` can install, on any platform, by its path in the `packages` of a package-lock.json,
 * each with the paths of its dependencies. "" is the project. Packages that only development needs are left out; those
 * that both need are kept. (`npm sbom --omit=dev` leaves out both.)
 */
export function findProduction(packages: LockedPackages): Map<string, string[]> {
  const isInstalled = (path: string) => path === "" || (path.includes("node_modules/") && !isLeftOut(packages[path]));
  const paths = Object.keys(packages).filter(isInstalled).sort();
  return new Map(
    paths.map((path) => {
      const places = namesOf(packages[path]).flatMap((name) => placeOf(packages, path, name) ?? []);
      return [path, [...new Set(places)].filter(isInstalled).sort()];
    }),
  );
}

const isLeftOut = (entry: LockedPackages[string] = {}) => entry.dev === true || entry.link === true;

const namesOf = (entry: LockedPackages[string] = {}) =>
  Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies });
