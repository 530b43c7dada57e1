import { promises as dns } from "node:dns";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Dialer } from "#dispatcher/connections/dialer.ts";
import { resolveName } from "#dispatcher/connections/resolver.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { type DnsAnswer, startDnsServer } from "../../helpers/dns-server.ts";

const V4 = ["192.0.2.1"];
const V6 = ["2001:db8::1"];
const FAULTS: Record<string, DnsAnswer> = {
  SERVFAIL: { code: 2 },
  NOTIMP: { code: 4 },
  REFUSED: { code: 5 },
  "a malformed answer": { code: 1 },
  silence: "silence",
};
const nameOf = (fault: string, family: string) => `${fault.replaceAll(" ", "-")}-${family}.example.com`.toLowerCase();

let names: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  const answers: Record<string, DnsAnswer> = { "both.example.com": V4, "private.example.com": [] };
  const answers6: Record<string, DnsAnswer> = { "both.example.com": V6, "private.example.com": ["fd00::1"] };
  Object.assign(answers, { "unclear.example.com": { code: 2 } });
  Object.assign(answers6, { "unclear.example.com": ["fd00::1"] });
  for (const [fault, answer] of Object.entries(FAULTS)) {
    answers[nameOf(fault, "a")] = answer;
    answers6[nameOf(fault, "a")] = V6;
    answers[nameOf(fault, "aaaa")] = V4;
    answers6[nameOf(fault, "aaaa")] = answer;
    answers[nameOf(fault, "both")] = answer;
    answers6[nameOf(fault, "both")] = answer;
  }
  Object.assign(answers, { "nodata.example.com": [] });
  Object.assign(answers6, { "nodata.example.com": { code: 2 } });
  names = await startDnsServer(answers, answers6);
  const resolve4 = dns.Resolver.prototype.resolve4 as (name: string) => Promise<never>;
  // The first lookup of a resolver. Its name servers cannot be changed afterwards.
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(function (this: dns.Resolver, name: string) {
    this.setServers([names.address]);
    return resolve4.call(this, name);
  } as never);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await names.close();
});

/** The addresses of a name, and the time until they were known, ms. */
async function resolve(name: string) {
  const abandoned = new AbortController();
  const startedAt = performance.now();
  const addresses = await resolveName(name, false, abandoned.signal).finally(() => abandoned.abort());
  return { addresses, tookMs: performance.now() - startedAt };
}

describe("a name", () => {
  it("has the addresses of both families when both are known", async () => {
    expect((await resolve("both.example.com")).addresses).toEqual([...V4, ...V6]);
  });

  it.each(Object.keys(FAULTS))(
    "has the addresses of the family that is known after %s for the other",
    async (fault) => {
      const [ipv4, ipv6] = await Promise.all([resolve(nameOf(fault, "aaaa")), resolve(nameOf(fault, "a"))]);
      expect([ipv4.addresses, ipv6.addresses]).toEqual([V4, V6]);
      for (const { tookMs } of [ipv4, ipv6]) expect(tookMs).toBeLessThan(2_000);
    },
  );

  it("without an address fails with what went wrong, also where only one family is known to have none", async () => {
    await expect(resolve(nameOf("SERVFAIL", "both"))).rejects.toMatchObject({ code: "ESERVFAIL" });
    await expect(resolve(nameOf("REFUSED", "both"))).rejects.toMatchObject({ code: "EREFUSED" });
    await expect(resolve("nodata.example.com")).rejects.toMatchObject({ code: "ESERVFAIL" });
    await expect(resolve("unknown.example.com")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("whose only address is private is refused; one that may have another is tried again", async () => {
    const dialer = new Dialer({ policy: parseTargetPolicy("", ""), monotonic: monotonicNow });
    expect(await dialer.open("https://private.example.com")).toMatchObject({ kind: "blocked" });
    expect(await dialer.open("https://unclear.example.com")).toEqual({
      kind: "unreachable",
      error: "name resolution: ESERVFAIL",
    });
  });
});
