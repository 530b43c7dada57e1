// Guards: cli/src/login/**, cli/src/settings/**, cli/src/verbs/login.ts, cli/src/verbs/logout.ts, cli/src/verbs/whoami.ts, cli/src/context.ts, cli/src/input/ask.ts, cli/src/input/read-stdin.ts, sdk/src/installation.ts
// Final: its verdict is about where a key is stored, and where it is sent.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "#tests/helpers/cli-process.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { type CliService, startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

/** Somebody at a machine of their own, without a key in the environment. */
async function somebody() {
  const home = emptyFolder();
  const { caller } = await service.account();
  const run = (args: string[], { stdin = "", env = {} } = {}) => runCli(args, { stdin, env: { HOME: home, ...env } });
  const login = (args: string[] = [], stdin = `${caller.test}\n`) =>
    run(["login", ...(args.includes("--url") ? [] : ["--url", service.origin]), ...args], { stdin });
  return {
    caller,
    home,
    folder: join(home, ".config/stopwatch"),
    file: join(home, ".config/stopwatch/profiles.json"),
    run,
    login,
  };
}

describe("login", () => {
  it("stores a key from stdin for its owner alone, and the other verbs use it", async () => {
    const { run, login, caller, folder, file } = await somebody();
    const { code, stdout, stderr } = await login();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain(caller.test.slice(8));
    expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ default: { url: service.origin, key: caller.test } });
    expect((await run(["whoami"])).stdout).toContain('from the profile "default"\n');
  });

  it("keeps profiles apart, and --profile chooses one", async () => {
    const { run, login, caller } = await somebody();
    await login();
    expect(await login(["--profile", "work"], caller.live)).toMatchObject({ code: 0 });
    const env = async (...args: string[]) => (await run(["whoami", "--json", ...args])).json()[0]?.apiKey;
    expect(await env()).toMatchObject({ env: "test" });
    expect(await env("--profile", "work")).toMatchObject({ env: "live" });
    expect(await run(["logout"])).toMatchObject({ code: 0 });
    expect(await run(["whoami"])).toMatchObject({ code: 3, stdout: "" });
    expect(await env("--profile", "work")).toMatchObject({ env: "live" });
  });

  it("says so when the environment has a key, which stands before it", async () => {
    const { run, caller } = await somebody();
    const env = { STOPWATCH_API_KEY: caller.live };
    expect(await run(["login", "--url", service.origin], { stdin: caller.test, env })).toMatchObject({
      code: 0,
      stderr: "stopwatch: STOPWATCH_API_KEY is set, and is used unless --profile default is given.\n",
    });
  });

  it("stores nothing of a key that the service does not accept, and nothing of one that is mistyped", async () => {
    const { caller, login, file } = await somebody();
    await service.api.sql`DELETE FROM api_keys WHERE account_id = ${caller.accountId}`;
    expect(await login()).toMatchObject({ code: 3, stderr: expect.stringContaining("(UNAUTHORIZED)") });
    const before = service.requests.length;
    for (const [given, problem] of [
      [caller.test.replace(/.$/, (last) => (last === "0" ? "1" : "0")), "has a typing error"],
      [` ${caller.test}`, "has blanks or a line break around it"],
      ["", "is missing"],
    ] as const) {
      const { code, stderr } = await login([], given);
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) });
      expect(stderr).not.toContain(caller.test.slice(8));
    }
    expect(service.requests.length).toBe(before);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["an address of another kind", ["--url", "ftp://example.com"], "--url must be an http or https address"],
    ["an address with credentials", ["--url", "https://a:b@example.com"], "without credentials"],
    ["a name that no profile may have", ["--profile", "../x"], "--profile must be a name"],
    ["a name that every object has", ["--profile", "constructor"], "--profile must be a name"],
    ["a key as an argument", ["sw_test_1"], "too many arguments"],
    ["a key as an option", ["--key", "sw_test_1"], "unknown option '--key'"],
  ])("ends with 2 for %s, and stores nothing", async (_, args, problem) => {
    const { login, file } = await somebody();
    const { code, stdout, stderr } = await login(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(existsSync(file)).toBe(false);
  });
});

describe("a stored key", () => {
  it("is not used while others may read it", async () => {
    const { run, login, file } = await somebody();
    await login();
    chmodSync(file, 0o644);
    const { code, stderr } = await run(["whoami"]);
    expect(code).toBe(3);
    expect(stderr).toBe(`stopwatch: ${file} holds keys, and others may read it.\n  Fix: chmod 600 ${file}\n`);
  });

  it("is sent to no other address than its own", async () => {
    const { run, login } = await somebody();
    await login();
    const before = service.requests.length;
    const { code, stderr } = await run(["whoami"], { env: { STOPWATCH_URL: "http://127.0.0.1:9" } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^stopwatch: STOPWATCH_URL is http:\/\/127/),
    });
    expect(service.requests.length).toBe(before);
  });

  it("gives way to that of the environment and to that of --env-file, of which --profile allows neither", async () => {
    const { run, login, caller } = await somebody();
    await login();
    const env = { STOPWATCH_API_KEY: caller.live, STOPWATCH_URL: service.origin };
    const keyOf = async (args: string[], given = {}) =>
      (await run(["whoami", "--json", ...args], { env: given })).json()[0]?.apiKey;
    expect(await keyOf([], env)).toMatchObject({ env: "live" });
    expect(await keyOf(["--profile", "default"], env)).toMatchObject({ env: "test" });
    const file = join(emptyFolder(), ".env");
    writeFileSync(file, `# mine\nSTOPWATCH_API_KEY="${caller.live}"\nSTOPWATCH_URL=${service.origin}\n`);
    expect(await keyOf(["--env-file", file])).toMatchObject({ env: "live" });
    expect(await run(["whoami", "--env-file", file, "--profile", "default"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--env-file must not stand beside --profile"),
    });
  });

  it("that is damaged, or of a profile that does not exist, ends with 3 and says what to do", async () => {
    const { run, folder, file } = await somebody();
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, "{", { mode: 0o600 });
    expect(await run(["whoami"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("is damaged.\n  Fix: remove it"),
    });
    writeFileSync(file, "{}");
    expect(await run(["whoami", "--profile", "work"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no profile "work".\n  Fix: store one with `stopwatch login`'),
    });
    expect(await run(["logout"])).toMatchObject({ code: 4 });
  });
});
