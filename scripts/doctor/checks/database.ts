import { readSessionFacts, type SessionFacts } from "#db/queries/fleet/session-facts.ts";
import { describeDatabase, parseDatabaseAddress } from "#domain/database-address.ts";
import { ago, type Check, type Finding, failure, ok } from "../check.ts";

export const database: Check = {
  name: "database",
  needs: [],
  async run({ urls, isEmbedded, dataDir, problems, ask }) {
    if (!urls) return judgeAbsent({ isEmbedded, dataDir, problems });
    const began = performance.now();
    const direct = await ask(readSessionFacts);
    const answeredMs = performance.now() - began;
    const others = [];
    for (const [name, url] of [
      ["DATABASE_URL", urls.pooled],
      ["DATABASE_OWNER_URL", urls.owner],
    ] as const) {
      if (url) others.push({ name, ...(await ask(readSessionFacts, url)) });
    }
    const where = describeDatabase(parseDatabaseAddress(urls.direct));
    return judgeDatabases({ where, direct, others, answeredMs, nowMs: Date.now() });
  },
};

export function judgeAbsent(facts: { isEmbedded: boolean; dataDir: string; problems: readonly string[] }): Finding {
  if (!facts.isEmbedded) return failure("no address that could be used", "Correct the settings first.");
  return failure(
    `DATABASE_URL is not set, and no embedded database runs on ${facts.dataDir}`,
    "Run npm start, which has one, or set DATABASE_URL.",
  );
}

type Facts = {
  where: string;
  direct: SessionFacts;
  /** The other addresses, by the name of their setting. */
  others: (SessionFacts & { name: string })[];
  answeredMs: number;
  nowMs: number;
};

export function judgeDatabases({ where, direct, others, answeredMs, nowMs }: Facts): Finding {
  const elsewhere = others.find(({ identity }) => identity !== direct.identity);
  if (elsewhere)
    return failure(
      `${elsewhere.name} leads to another database (${elsewhere.database}) than DATABASE_DIRECT_URL (${direct.database})`,
      "Let all addresses name the same one.",
    );
  const encrypted = direct.isEncrypted ? "encrypted" : "not encrypted";
  const since = ago((nowMs - direct.startedAtMs) / 1_000);
  return ok(`${where} answers in ${Math.round(answeredMs)} ms, ${encrypted}; its server has run for ${since}`);
}
