export type LockedPackages = Record<string, LockedPackage>;
type LockedPackage = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  inBundle?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

/**
 * Returns entries for the optional dependencies that the `packages` of a package-lock.json (version 3) name but lack,
 * by their path in node_modules. Only exact versions can be added, and only platforms that the package name tells. Their
 * integrity is to be asked of the registry.
 */
export function missingPlatforms(packages: LockedPackages): LockedPackages {
  const missing: LockedPackages = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(optionalDependencies)) {
      if (placeOf(packages, path, name)) continue;
      const version = range.replace(/^[~^]/, "");
      const place = `node_modules/${name}`;
      const nested = missing[place] && missing[place].version !== version;
      missing[nested ? `${path}/${place}` : place] = {
        version,
        ...platformOf(name),
        ...(dev && { dev }),
        optional: true,
      };
    }
  }
  return missing;
}

/**
 * Returns the paths of packages that need the GNU C library and whose entry does not say so. npm would install them on
 * Alpine Linux too, where they cannot start. npm keeps what the entry says.
 */
export function findWithoutLibc(packages: LockedPackages): string[] {
  return Object.keys(packages).filter((path) => /(^|\/)node-linux-[^/]+$/.test(path) && !packages[path]?.libc);
}

const OPERATING_SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** Where Node.js finds `name` from `path`: in its own node_modules, then in those of the folders above it. */
export function placeOf(packages: LockedPackages, path: string, name: string): string | undefined {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf("node_modules/") - 1))) {
    const place = `${base ? `${base}/` : ""}node_modules/${name}`;
    if (packages[place]) return place;
    if (base === "") return undefined;
  }
}

function platformOf(name: string): Pick<LockedPackage, "os" | "cpu" | "libc"> {
  const words = name.replace("linuxmusl", "linux-musl").replace("windows", "win32").split(/[/-]/);
  const os = words.filter((word) => OPERATING_SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : words.includes("gnu") ? ["glibc"] : [];
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) };
}
