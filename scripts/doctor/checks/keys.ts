import type { Config } from "#config.ts";
import { checkKeyRing } from "#db/queries/fleet/instance-secrets.ts";
import { type Check, type Finding, ok } from "../check.ts";

export const keys: Check = {
  name: "keys",
  needs: ["settings", "role"],
  async run({ read, config }) {
    const { keyRing } = config as Config;
    return judgeKeys({ isUsed: await read((sql) => checkKeyRing(sql, keyRing)), keys: keyRing.keys.size });
  },
};

/** Of keys that open the database, or that nothing is sealed with yet: others throw before. */
export function judgeKeys({ isUsed, keys: ring }: { isUsed: boolean; keys: number }): Finding {
  const ofRing = `${ring} ${ring === 1 ? "key" : "keys"}`;
  if (!isUsed) return ok(`${ofRing}; nothing in the database is sealed yet`);
  const rotation = ring > 1 ? "; npm run keys:rotate -- --dry-run says which are still needed" : "";
  return ok(
    `${ofRing}, which opens what is sealed in the database${rotation}`.replace("keys, which opens", "keys, which open"),
  );
}
