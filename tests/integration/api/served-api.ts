import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";

export type ServedApi = { api: Api; web: WebProcess; caller: TestCaller; stop(): Promise<void> };

/** `startApi` with a web process on its database, which has these settings, and an account. */
export async function serveApi(settings: Record<string, string> = {}): Promise<ServedApi> {
  const api = await startApi();
  try {
    const web = await startWebProcess({ DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS, ...settings });
    const stop = async () => {
      await web.stop();
      await api.stop();
    };
    return { api, web, caller: await api.account(), stop };
  } catch (error) {
    await api.stop();
    throw error;
  }
}
