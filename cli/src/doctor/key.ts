import { type Check, failure, ok } from "./check.ts";

/** There is a key, and its form and checksum are right. Nothing is sent. */
export const key: Check = {
  name: "key",
  needs: [],
  run({ settings, settingsProblem }) {
    if (settings !== undefined) return ok(`well-formed, a ${settings.env} key, from ${settings.source}`);
    const { found, fix } = settingsProblem as { found: string; fix: string };
    return failure(found, fix);
  },
};
