import { processEnv, SECRET_NAMES, SETTING_NAMES } from "#config.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";

export const settings: Check = {
  name: "settings",
  needs: [],
  async run({ problems, config, keysFile, dataDir, isEmbedded }) {
    const env = processEnv();
    const names = [...SETTING_NAMES, ...[...SECRET_NAMES].map((name) => `${name}_FILE`)];
    return judgeSettings({
      problems,
      set: names.filter((name) => env[name]).length,
      ignored: config?.ignoredDatabaseParameters ?? [],
      misspelt: config?.misspelt ?? [],
      keysFile: keysFile === "used" && !isEmbedded ? `${dataDir}/keys.env` : null,
      allowed: config?.deliveryAllow ?? "",
    });
  },
};

type Facts = {
  problems: readonly string[];
  /** How many settings are set. */
  set: number;
  /** Parameters of the database's address that have no effect. */
  ignored: readonly string[];
  /** What is set under a name that is nearly a setting's. */
  misspelt: readonly { name: string; meant: string }[];
  /** The file that stands in for ENCRYPTION_KEYS, beside a database of the operator's own. */
  keysFile: string | null;
  /** DELIVERY_ALLOW. */
  allowed: string;
};

export function judgeSettings({ problems, set, ignored, misspelt, keysFile, allowed }: Facts): Finding {
  if (problems.length > 0)
    return failure(
      problems.map((one) => one.replace(/\.$/, "")).join("; "),
      "Correct what is named (docs/settings.md).",
    );
  const found = `${set} set, the others have their defaults`;
  if (keysFile)
    return warning(
      `${found}; ENCRYPTION_KEYS is not set, and ${keysFile} has keys`,
      "Set ENCRYPTION_KEYS: npm start reads that file, web processes and dispatchers of their own do not.",
    );
  if (misspelt.length > 0)
    return warning(
      `${found}; ${misspelt.map(({ name }) => name).join(", ")} ${misspelt.length > 1 ? "are" : "is"} no setting`,
      misspelt.map(({ name, meant }) => `Rename ${name} to ${meant}, or remove it.`).join(" "),
    );
  const notes = [
    ...(ignored.length > 0 ? [`without effect in the database's address: ${ignored.join(", ")}`] : []),
    ...(allowed ? [`DELIVERY_ALLOW lets every account reach ${allowed}`] : []),
  ];
  return ok([found, ...notes].join("; "));
}
