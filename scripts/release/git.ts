import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SetupError } from "../setup-error.ts";

const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;

/** What git prints in `folder`, without the line end. Throws SetupError with git's reason when it fails. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  return (await gitBytes(folder, ...args)).toString("utf8").trimEnd();
}

/** What git prints in `folder`, byte for byte. Throws SetupError with git's reason when it fails. */
export async function gitBytes(folder: string, ...args: string[]): Promise<Buffer> {
  const options = { cwd: folder, encoding: "buffer", maxBuffer: OUTPUT_BYTES_MAX } as const;
  try {
    return (await promisify(execFile)("git", args, options)).stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: Buffer; message: string };
    throw new SetupError(`git ${args.find((one) => !one.startsWith("-"))}: ${stderr?.toString().trim() || message}`);
  }
}
