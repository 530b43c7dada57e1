import { SetupError } from "../setup-error.ts";
import { git } from "./git.ts";

/** Throws SetupError when the checkout in `folder` has changes that are not committed, or files that git does not know. */
export async function assertCommitted(folder: string): Promise<void> {
  const changes = await git(folder, "status", "--porcelain");
  if (changes !== "") throw new SetupError(`These are not committed:\n${changes}`);
}
