import pino from "pino";
import { readConfig } from "#config.ts";
import { type Dispatcher, startDispatcher } from "#dispatcher/dispatcher.ts";
import { decodeId } from "#domain/ids.ts";
import { recordTestAttempt, type TestAttempt } from "#tests/helpers/attempts.ts";
import { buildCli, type CliOptions, type CliResult, runCli } from "#tests/helpers/cli-process.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { stopAudited } from "#tests/helpers/stop-audited.ts";
import { startApi, type TestCaller } from "../api/api.ts";
import { serveApi } from "../sdk/serve-api.ts";

export type CliService = Awaited<ReturnType<typeof startCliService>>;

/** The API on a database of its own, served over HTTP, and the built command line. `settings` are those of the API. */
export async function startCliService(settings: Record<string, string> = {}) {
  await buildCli();
  const api = await startApi(settings);
  const service = await serveApi();
  const dispatchers: Dispatcher[] = [];
  /** A new account, and the command line with its key: the test one unless `env` is `live`. */
  const account = async (env: "live" | "test" = "test") => {
    const caller: TestCaller = await api.account();
    const settings = { STOPWATCH_API_KEY: caller[env], STOPWATCH_URL: service.origin };
    const run = (args: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
      runCli(args, { ...options, env: { ...settings, ...options.env } });
    return {
      caller,
      settings,
      run,
      create: (body?: object) => api.create(caller[env], body),
      get: async (id: string) => (await api.call("GET", `/v1/schedules/${id}`, caller[env])).body,
    };
  };
  return {
    api,
    ...service,
    account,
    /** An account for calls that change nothing. */
    someone: await account(),
    /** One attempt of a schedule, as a dispatcher leaves it. */
    attempt: (id: string, attempt: TestAttempt) => recordTestAttempt(api.sql, decodeId("sch", id) as string, attempt),
    /** Starts a dispatcher, which carries out operations and deliveries. */
    async dispatcher(settings: Record<string, string> = {}) {
      const config = readConfig({ DATABASE_URL: api.database.serviceUrl, ENCRYPTION_KEYS, ...settings });
      dispatchers.push(await startDispatcher(config, { log: pino({ level: "silent" }), version: "0.0.0" }));
    },
    async stop() {
      await Promise.all(dispatchers.map(stopAudited));
      await service.stop();
      await api.stop();
    },
  };
}
