import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { readConfig } from "#config.ts";
import { nearestFolder } from "../nearest-folder.ts";
import { listenablePortOrThrow } from "../ports.ts";
import { SetupError } from "../setup-error.ts";

/**
 * Checks what a part needs before it starts: its settings, its port, and where no mail provider is set, the folder that mails
 * are written to. Returns where it listens. Throws a ConfigError or a SetupError.
 */
export async function assertStartable(part: "web" | "dispatcher"): Promise<{ host: string; port: number }> {
  const { host, mail, ...config } = readConfig();
  const [setting, port] =
    part === "web" ? (["PORT", config.port] as const) : (["DISPATCHER_PORT", config.dispatcherPort] as const);
  if (!mail.resendApiKey) await assertWritable(resolve(mail.mailboxDir));
  return { host, port: await listenablePortOrThrow(setting, host, port) };
}

/** The folder is made with the first mail, so one above it may be the one that exists. */
async function assertWritable(wanted: string): Promise<void> {
  const folder = await nearestFolder(wanted);
  await access(folder, constants.W_OK | constants.X_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw new SetupError(
      `Mails are written to ${wanted}, since RESEND_API_KEY is not set, but user ${process.getuid?.() ?? ""} cannot write to ${folder} (${code}): let DATA_DIR be a folder or volume that it can write to.`,
    );
  });
}
