import type { LockedPackages } from "./missing-platforms.ts";

export type Unpinned = {
  /** Entries whose archive is not checked, because the lock file does not have its hash. */
  withoutIntegrity: string[];
  /** Entries that name where their archive comes from. Without that, it comes from the registry that npm is set to. */
  withAddress: string[];
};

/**
 * Returns what of the `packages` of a package-lock.json is not pinned, by its path in node_modules. The project itself,
 * its workspaces, and what another archive brings along (and whose hash covers it) need no hash of their own.
 */
export function findUnpinned(packages: LockedPackages): Unpinned {
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  return {
    withoutIntegrity: installed
      .filter(([, { integrity, inBundle }]) => !inBundle && !isStrong(integrity))
      .map(([path]) => path),
    withAddress: installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
  };
}

const isStrong = (integrity: string | undefined) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "");

/** The name of the package at a path of the lock file. */
export function nameAt(path: string, { name }: { name?: string }): string {
  return name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
