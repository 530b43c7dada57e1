import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAuthority } from "#scripts/lab/certificates.ts";
import { freePort } from "#scripts/ports.ts";
import { waitFor } from "./wait-for.ts";

export type ProxyName = "nginx" | "caddy";

/** The host that the configurations in deploy/proxies/ are written for. */
export const PROXIED_HOST = "stopwatch.example.com";

/** Whether the program is installed; each has a Debian package of its name. */
export const hasProxy = (name: ProxyName) => spawnSync(name, [name === "nginx" ? "-v" : "version"]).status === 0;

export type FrontProxy = Awaited<ReturnType<typeof startFrontProxy>>;

/**
 * Starts the proxy with its configuration in deploy/proxies/, which it checks first, on `port` before `upstreamPort`, and before
 * `secondPort` in the place of 3001: by default one where nobody listens.
 */
export async function startFrontProxy(name: ProxyName, port: number, upstreamPort: number, secondPort?: number) {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-proxy-"));
  const authority = await createAuthority();
  const { cert, key } = await authority.issue({ name: PROXIED_HOST });
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key);
  const clearPort = await freePort();
  const places = { ...files, port, clearPort, upstreamPort, secondPort: secondPort ?? (await freePort()) };
  const { check, start } = await (name === "nginx" ? configureNginx : configureCaddy)(folder, places);
  const checked = spawnSync(check[0] as string, check.slice(1), { encoding: "utf8" });
  if (checked.status !== 0) throw new Error(checked.stderr);
  const child: ChildProcess = spawn(start[0] as string, start.slice(1), { stdio: "ignore" });
  await waitFor("the proxy listens", () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  return {
    port,
    /** Where it speaks http. */
    clearPort,
    ca: authority.ca,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(folder, { recursive: true });
    },
  };
}

/** For how long the configuration in deploy/proxies/ lets a connection to the web part stay idle, ms. */
export async function statedIdleMs(name: ProxyName): Promise<number> {
  const { file, stated } = IDLE[name];
  const [, seconds] = stated.exec(await configuration(file, [])) ?? [];
  if (seconds === undefined) throw new Error(`deploy/proxies/${file} does not say how long a connection may be idle`);
  return Number(seconds) * 1_000;
}

const IDLE = {
  nginx: { file: "nginx.conf", stated: /^\s*keepalive_timeout (\d+)s;$/m },
  caddy: { file: "Caddyfile", stated: /^\s*keepalive (\d+)s$/m },
};

type Places = {
  cert: string;
  key: string;
  port: number;
  clearPort: number;
  upstreamPort: number;
  secondPort: number;
};

/** The configuration, with each of `places` put where it names another one. Throws an Error when it does not name it. */
async function configuration(file: string, places: [string, string][]): Promise<string> {
  let text = await readFile(fileURLToPath(new URL(`../../deploy/proxies/${file}`, import.meta.url)), "utf8");
  // In two steps: a place that was put in may begin like one that is still to be replaced.
  for (const [at, [named]] of places.entries()) {
    if (!text.includes(named)) throw new Error(`deploy/proxies/${file} does not name ${named}`);
    text = text.replaceAll(named, `\0${at}\0`);
  }
  for (const [at, [, place]] of places.entries()) text = text.replaceAll(`\0${at}\0`, place);
  return text;
}

const upstreams = ({ upstreamPort, secondPort }: Places): [string, string][] => [
  ["127.0.0.1:3000", `127.0.0.1:${upstreamPort}`],
  ["127.0.0.1:3001", `127.0.0.1:${secondPort}`],
];

async function configureNginx(folder: string, places: Places) {
  const { cert, key, port, clearPort } = places;
  const server = await configuration("nginx.conf", [
    ["listen 80;", `listen 127.0.0.1:${clearPort};`],
    ["listen [::]:80;", ""],
    ["listen 443 ", `listen 127.0.0.1:${port} `],
    ["listen [::]:443 ssl http2;", ""],
    [`/etc/letsencrypt/live/${PROXIED_HOST}/fullchain.pem`, cert],
    [`/etc/letsencrypt/live/${PROXIED_HOST}/privkey.pem`, key],
    ...upstreams(places),
    ["/var/log/nginx/stopwatch.log", join(folder, "access.log")],
  ]);
  const file = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  await writeFile(
    file,
    `pid ${join(folder, "nginx.pid")};\nevents {}\nhttp {\n${temporary.join("\n")}\n${server}\n}\n`,
  );
  const command = ["nginx", "-p", folder, "-e", join(folder, "error.log"), "-c", file];
  return { check: [...command, "-t"], start: [...command, "-g", "daemon off;"] };
}

async function configureCaddy(folder: string, places: Places) {
  const { cert, key, port, clearPort } = places;
  const options = ["admin off", `http_port ${clearPort}`, `https_port ${port}`, "grace_period 1s"];
  const site = await configuration("Caddyfile", [
    ["\n{\n", `\n{\n${options.join("\n")}\nstorage file_system ${folder}\n`],
    [`http://${PROXIED_HOST} {`, `http://${PROXIED_HOST}:${clearPort} {\n\tbind 127.0.0.1`],
    [`${PROXIED_HOST} {`, `https://${PROXIED_HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`],
    ...upstreams(places),
  ]);
  const file = join(folder, "Caddyfile");
  await writeFile(file, site);
  const config = ["--config", file, "--adapter", "caddyfile"];
  return { check: ["caddy", "validate", ...config], start: ["caddy", "run", ...config] };
}
