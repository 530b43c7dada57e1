import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/ports.ts";
import { spawnNext } from "../../scripts/stack/next.ts";
import { WEB_SERVER } from "../../scripts/stack/web-command.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export type WebProcess = WorkerProcess & { origin: string };

/** Starts the production build in `folder` as `npm run web` does, and waits until it answers. */
export async function startWebProcess(folder: string, env: NodeJS.ProcessEnv): Promise<WebProcess> {
  const port = await freePort();
  const worker = startWorkerProcess(WEB_SERVER, {
    args: ["--hostname", "127.0.0.1", "--port", String(port)],
    cwd: folder,
    execArgv: ["--import", END_WITH_PARENT],
    env,
  });
  const origin = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(origin).then(
      () => true,
      () => false,
    );
  await Promise.race([waitFor("the web process answers", answers), worker.lost]);
  return { ...worker, origin };
}

const END_WITH_PARENT = new URL("../../scripts/stack/end-with-parent.mjs", import.meta.url).href;

/** The folder of the project, and the folder of the app with a single empty route handler. */
export const PRODUCT = fileURLToPath(new URL("../..", import.meta.url));
export const EMPTY_APP = fileURLToPath(new URL("./empty-app", import.meta.url));

/** Makes the production build of the app in `folder`. */
export async function buildApp(folder: string): Promise<void> {
  const child = spawnNext(["build", folder], { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${folder} could not be built`);
}
