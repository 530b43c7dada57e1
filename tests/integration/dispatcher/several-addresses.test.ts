import { afterEach, expect, it } from "vitest";
import type { FurtherSockets } from "#dispatcher/connections/address-race.ts";
import { Dialer, type OpenResult } from "#dispatcher/connections/dialer.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { startSilentAddresses } from "../../helpers/silent-addresses.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const closing: (() => Promise<void>)[] = [];
const until = <T extends { close: () => Promise<void> }>(started: T): T => {
  closing.push(() => started.close());
  return started;
};
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens a connection to a target with these addresses. `tried()` is how many of them were tried side by side at most. */
function open(origin: string, addresses: string[], options: { ca?: string; deny?: string } = {}) {
  const policy = parseTargetPolicy(origin, options.deny ?? "");
  const dialer = new Dialer({ policy, ca: options.ca, monotonic: monotonicNow, resolve: async () => addresses });
  let [tried, further] = [1, 0];
  const counting: FurtherSockets = {
    begin() {
      further++;
      tried = Math.max(tried, 1 + further);
      return true;
    },
    end: () => void further--,
  };
  return { opened: dialer.open(origin, counting), tried: () => tried, further: () => further };
}

/** The connection of a target that was reached, which is closed. */
async function expectOpen(opened: Promise<OpenResult>) {
  const result = await opened;
  expect(result).toMatchObject({ kind: "open" });
  if (result.kind === "open") result.connection.destroy();
}

it("a target that takes longer than a quarter of a second at its first address is reached there, while others hang", async () => {
  const slow = until(await startSilentAddresses(["127.0.0.2"]));
  until(await startSilentAddresses(["127.0.0.3", "127.0.0.4"], slow.port));
  const { opened, tried, further } = open(`http://localhost:${slow.port}`, ["127.0.0.2", "127.0.0.3", "127.0.0.4"]);
  await waitFor("all addresses are tried", () => tried() === 3);
  slow.answer();
  await expectOpen(opened);
  expect(further()).toBe(0);
});

it.each([true, false])("a target whose first address hangs is reached at the next one (TLS: %s)", async (tls) => {
  const receiver = until(await startReceiver({ tls }));
  until(await startSilentAddresses(["127.0.0.2"], receiver.port));
  const { opened, tried, further } = open(receiver.origin, ["127.0.0.2", "127.0.0.1"], { ca: receiver.ca });
  await expectOpen(opened);
  expect([tried(), further()]).toEqual([2, 0]);
});

it("a target is reached at the only address of eight where something listens, of either family", async () => {
  const receiver = until(await startReceiver({ tls: false }));
  const refusing = ["::1", ...Array.from({ length: 6 }, (_, n) => `127.0.0.${n + 2}`)];
  await expectOpen(open(receiver.origin, [...refusing, "127.0.0.1"]).opened);
});

it("a target that refuses at each of its addresses is refused, whatever other addresses lack", async () => {
  const receiver = await startReceiver({ tls: false });
  await receiver.close();
  const { opened } = open(receiver.origin, ["2001:db8::1", "127.0.0.1", "127.0.0.2"]);
  expect(await opened).toEqual({ kind: "unreachable", error: "connection: ECONNREFUSED" });
});
