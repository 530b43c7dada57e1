import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { processEnv } from "#config.ts";
import { apiKeyPreview, generateApiKey, hashApiKey } from "#domain/api-key.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import { createTestDatabase } from "#tests/helpers/database.ts";
import { createDispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess } from "#tests/helpers/web-process.ts";

/** Packages that examples import without installing them. */
const PACKAGES = ["stopwatch-sdk", "postgres", "standardwebhooks", "@types/node"];

/** An account that operators ask for. */
const KNOWN_EMAIL = "ada@example.com";

const PORTS = 40;

export type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** What a page is run with: a folder, an account with a key of each environment, and a database of its own. */
export type Reader = Awaited<ReturnType<Installation["reader"]>>;

/** A whole installation and a receiver, for the examples of docs/. */
export async function startInstallation() {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-docs-"));
  for (const name of PACKAGES) {
    const place = join(folder, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(resolve("node_modules", name), place);
  }
  const receiver = await startReceiver({ tls: false });
  const ports = await Promise.all(Array.from({ length: PORTS }, () => freePort()));
  const DELIVERY_ALLOW = [receiver.origin, ...ports.map((port) => `http://localhost:${port}`)].join(",");
  const dispatch = await createDispatchHarness({ DELIVERY_ALLOW }, await createTestDatabase());
  await dispatch.process();

  const settings = { DATABASE_URL: dispatch.databaseUrl, ENCRYPTION_KEYS, DELIVERY_ALLOW };
  const web = await startWebProcess(settings);
  const { id: known } = await dispatch.account();
  await dispatch.sql`UPDATE accounts SET email = ${KNOWN_EMAIL} WHERE id = ${known}`;

  const makeKey = async (accountId: string, env: "live" | "test") => {
    const key = generateApiKey(env);
    await dispatch.sql`INSERT INTO api_keys (id, account_id, env, name, hash, last4)
      VALUES (gen_random_uuid(), ${accountId}, ${env}, 'docs', ${hashApiKey(key)}, ${apiKeyPreview(key).last4})`;
    return key;
  };

  return {
    web,
    receiver,
    /** The settings of its processes, for the commands of its operator. */
    settings: { ...settings, PORT: String(web.port) },
    async reader(page: string) {
      const account = await dispatch.account();
      const keys = { live: await makeKey(account.id, "live"), test: await makeKey(account.id, "test") };
      const at = join(folder, page);
      await mkdir(join(at, "home"), { recursive: true });
      await writeFile(join(at, "package.json"), JSON.stringify({ name: page, private: true, type: "module" }));
      const database = await createTestDatabase();
      const { current, next } = await call("GET", "/v1/signing-secrets", keys.test);
      return {
        page,
        keys,
        folder: at,
        database,
        call: (method: string, path: string, body?: unknown) => call(method, path, keys.test, body),
        /** Another port on this machine, to which deliveries are allowed. */
        takePort: () => ports.pop() ?? 0,
        env: environment(at, { keys, current, next, databaseUrl: database.url, origin: web.origin }),
      };
    },
    async stop() {
      await web.stop();
      await dispatch.endProcesses();
      await dispatch.close();
      await receiver.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function call(method: string, path: string, key: string, body?: unknown) {
    const answer = await fetch(web.origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.json();
  }
}

/** The environment of a reader's terminal. Nothing of the one in which the tests run gets in, but the programs. */
function environment(
  folder: string,
  reader: {
    keys: { test: string };
    current: string;
    next: string;
    databaseUrl: string;
    origin: string;
  },
): Record<string, string> {
  const home = join(folder, "home");
  return {
    PATH: [join(home, "bin"), resolve("tests/e2e/docs/bin"), resolve("node_modules/.bin"), processEnv().PATH].join(":"),
    HOME: home,
    TERM: "dumb",
    STOPWATCH_API_KEY: reader.keys.test,
    STOPWATCH_URL: reader.origin,
    STOPWATCH_SECRET: reader.current,
    STOPWATCH_SECRET_NEXT: reader.next,
    DATABASE_URL: reader.databaseUrl,
    GOCACHE: join(tmpdir(), "stopwatch-docs-go"),
    npm_config_prefix: home,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}
