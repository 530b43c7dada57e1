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
function start(settings: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const program = `import { start } from "#server/start.ts"; import { getServices } from "#server/services.ts";
    await start(); await getServices().close();`;
  const env = { NODE_ENV: "production", LOG_LEVEL: "silent", ...COMPILE_CACHE, ...settings } as const;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stderr })));
}

describe("the web process", () => {
  it("starts when settings, schema and key ring are valid", async () => {
    const settings = { DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS: keys("k1", 7) };
    expect(await start(settings)).toEqual({ code: 0, stderr: "" });
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
