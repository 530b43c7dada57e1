import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { DEFAULT_PROFILE, profilesFile, readProfile, writeProfile } from "../settings/profiles.ts";
import type { Verb } from "../verb.ts";

/** Removes a stored key from this machine. */
export const logout: Verb = {
  name: "logout",
  group: "Credentials",
  summary: "Remove the stored key from this machine; it stays valid until it is revoked",
  examples: ["stopwatch logout", "stopwatch logout --profile work"],
  async run({ out }, { profile = DEFAULT_PROFILE }) {
    const stored = readProfile(profile);
    if (!stored) {
      throw new Failure(`There is no profile "${profile}" in ${profilesFile()}.`, {
        exitCode: EXIT.state,
        fix: "nothing: no key is stored by this name.",
      });
    }
    writeProfile(profile, undefined);
    out.record({ profile, url: stored.url, removed: true }, [["removed", `the profile "${profile}" (${stored.url})`]]);
    return undefined;
  },
};
