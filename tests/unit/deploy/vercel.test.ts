import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readConfig, SETTING_NAMES } from "#config.ts";
import manifest from "#package.json" with { type: "json" };
import { needsOf } from "#scripts/doctor/checks/connections.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import vercel from "#vercel.json" with { type: "json" };

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
const variables = page("vercel.md").split("## Variables")[1]?.split("## ")[0] ?? "";
const rows = variables.split("\n").filter((line) => line.startsWith("| `"));
const NEEDED = { DATABASE_URL: "postgres://user:password@db/stopwatch", ENCRYPTION_KEYS };

describe("the Vercel page", () => {
  it("names settings that exist, and values that they take", () => {
    const given: Record<string, string> = {};
    for (const row of rows) {
      const [names = "", values = ""] = row.split("|").slice(1);
      const named = Array.from(names.matchAll(/`([A-Z_…]+)`/g), ([, name = ""]) => name);
      const [first = ""] = named;
      const full = named.map((name) => (name.startsWith("…") ? `${first}${name.slice(1)}` : name));
      for (const name of full) {
        const isKnown = (known: string) => (name.endsWith("…") ? known.startsWith(name.slice(0, -1)) : known === name);
        expect(SETTING_NAMES.some(isKnown), name).toBe(true);
      }
      const value = Array.from(values.matchAll(/`([a-z0-9-]+)`/g), ([, one = ""]) => one);
      for (const [at, one] of value.entries()) given[full[at] as string] = one;
    }
    const { webConnections, webIdleSeconds: idleSeconds, clientAddressHeader } = readConfig({ ...NEEDED, ...given });
    expect(clientAddressHeader).toBe("x-vercel-forwarded-for");
    const { writes, reads, anonymous } = webConnections;
    expect(idleSeconds).toBe(5);
    // And one for counts.
    expect(page("vercel.md")).toContain(`Each function has up to ${writes + reads + anonymous + 1} `);
  });

  it("vercel.json builds with the project's own commands", () => {
    expect(vercel.installCommand).toBe("npm ci");
    expect(Object.keys(manifest.scripts)).toContain(vercel.buildCommand.replace("npm run ", ""));
  });
});

it("the table of hosts is what the defaults of two dispatchers and web processes add up to", () => {
  const { web: perWeb, dispatcher: perDispatcher } = needsOf(readConfig(NEEDED));
  const table = page("own-database.md").split("### For how many processes")[1]?.split("## Hosts")[0] ?? "";
  const counted = table.split("\n").filter((line) => /^\| (Neon|Supabase|RDS)/.test(line));
  expect(counted).toHaveLength(3);
  for (const row of counted) {
    const [, , limits = "", processes = ""] = row.split("|");
    const numbers = (text: string) => Array.from(text.replace(/\(.*|,? a part.*/, "").matchAll(/\d+/g), Number);
    const left = numbers(limits).map((limit) => Math.max(0, Math.floor((limit - 4 * perDispatcher) / perWeb)));
    expect(numbers(processes), row).toEqual(left);
  }
});
