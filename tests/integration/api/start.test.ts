import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPILE_CACHE } from "../../helpers/compile-cache.ts";
import { type Api, startApi } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
  await api.services.installation();
});
afterAll(() => api.stop());

const keys = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString("base64")}`;

/** Runs the start of the web process, and ends it once it would serve. */
const start = (settings: Record<string, string>) =>
  run(
    settings,
    `import { start } from "#server/start.ts"; import { getServices } from "#server/services.ts";
    await start(); await getServices().close();`,
  );

function run(settings: Record<string, string>, program: string) {
  const env = { NODE_ENV: "production", LOG_LEVEL: "silent", ...COMPILE_CACHE, ...settings } as const;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stdout, stderr })),
  );
}

describe("the web process", () => {
  it("starts when settings, schema and key ring are valid", async () => {
    const settings = { DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS: keys("k1", 7) };
    expect(await start(settings)).toMatchObject({ code: 0, stderr: "" });
  });

  it("guards a connection that was opened before it started, as Next.js listens before it calls us", async () => {
    const settings = { DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS: keys("k1", 7) };
    const { stdout } = await run(
      settings,
      `import { Agent, createServer, get } from "node:http";
      import { start } from "#server/start.ts";
      const server = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = () => new Promise((resolve) => {
        const request = get({ port: server.address().port, host: "127.0.0.1", path: "/login", agent }, (answer) => {
          answer.resume().on("end", () => resolve([request.reusedSocket, answer.headers["x-content-type-options"] ?? null]));
        });
      });
      await new Promise((resolve) => server.on("listening", resolve));
      const before = await ask();
      await start();
      console.log(JSON.stringify([before, await ask()]));
      process.exit(0);`,
    );
    expect(JSON.parse(stdout)).toEqual([
      [false, null],
      [true, "nosniff"],
    ]);
  });

  it("refuses to start with invalid settings, and names them", async () => {
    const { code, stderr } = await start({ DATABASE_URL: "nonsense", ENCRYPTION_KEYS: keys("k1", 7), PORT: "x" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Stopwatch cannot start:\n/);
    expect(stderr).toMatch(/DATABASE_URL: /);
    expect(stderr).toMatch(/PORT: /);
    expect(stderr).not.toContain("nonsense");
  });

  it("refuses to start with a key ring that does not open the database", async () => {
    const { code, stderr } = await start({ DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS: keys("k2", 9) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Stopwatch cannot start:\nENCRYPTION_KEYS does not open/);
  });

  it("refuses to start on a schema that lacks a migration", async () => {
    await api.sql`DELETE FROM drizzle.__drizzle_migrations`;
    const { code, stderr } = await start({ DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS: keys("k1", 7) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/npm run migrate/);
  });
});
