import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { installRelease } from "#scripts/postgres/releases.ts";

/** What a test can need besides `npm ci`: programs to look for, and what brings them. */
type Need = { isThere(): boolean; install(): Promise<boolean> };

/** Names in `// Needs:` lines. A test whose need is missing is skipped. */
export const NEEDS: Record<string, Need> = {
  languages: debian(["python3", "go", "php", "ruby"], "python3 golang-go php-cli ruby"),
  shells: debian(["zsh", "fish"], "zsh fish"),
  pgbouncer: debian(["pgbouncer"], "pgbouncer"),
  promtool: debian(["promtool"], "prometheus"),
  proxies: debian(["nginx", "caddy"], "nginx-light caddy"),
  systemd: debian(["systemd-analyze", "dbus-daemon"], "systemd dbus"),
  runtimes: npmFolder("tests/runtimes"),
  "postgres-14": npmFolder("tests/postgres"),
  ...Object.fromEntries(["15", "16", "17"].map((major) => [`postgres-${major}`, release(major)])),
  "previous-release": {
    isThere: () => succeeds("git", ["cat-file", "-e", `${baseline()}^{commit}`]),
    install: async () => succeeds("git", ["fetch", "--quiet", "--depth=1", "origin", baseline()]),
  },
};

/**
 * Installs what is missing of these needs. Prints what it did. A need that cannot be installed here is
 * named, and its tests are skipped: that fails nothing.
 */
export async function installNeeds(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const need = NEEDS[name];
    if (!need) throw new Error(`'${name}' in a "Needs:" line is none of ${Object.keys(NEEDS).join(", ")}`);
    if (need.isThere()) continue;
    const startedMs = performance.now();
    const isInstalled = await need.install().catch((error: Error) => {
      console.log(error.message);
      return false;
    });
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    console.log(isInstalled ? `installed ${name} in ${seconds} s` : `${name} cannot be installed here`);
  }
}

const INSTALL_MS = { debian: 90_000, npm: 240_000 };

function succeeds(program: string, args: string[], timeout = INSTALL_MS.debian): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"], timeout, env }).status === 0;
}

const hasProgram = (name: string) =>
  [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].some((folder) => existsSync(`${folder}/${name}`));

function debian(programs: string[], packages: string): Need {
  return {
    isThere: () => programs.every(hasProgram),
    install: async () => {
      if (process.getuid?.() !== 0 || !hasProgram("apt-get")) return false;
      const install = () => succeeds("apt-get", ["-qq", "install", "--no-install-recommends", ...packages.split(" ")]);
      // The lists of packages may be missing or old.
      return install() || (succeeds("apt-get", ["-qq", "update"]) && install());
    },
  };
}

function npmFolder(folder: string): Need {
  return {
    isThere: () => existsSync(`${folder}/node_modules`),
    install: async () => succeeds("npm", ["ci", "--no-audit", "--no-fund", "--prefix", folder], INSTALL_MS.npm),
  };
}

function release(major: string): Need {
  return {
    isThere: () => existsSync(`scripts/postgres/releases/${major}/node_modules`),
    install: async () => (await installRelease(major)) !== "",
  };
}

const baseline = () => readFileSync("tests/baseline/commit", "utf8").trim();
