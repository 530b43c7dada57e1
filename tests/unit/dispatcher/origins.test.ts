import { describe, expect, it } from "vitest";
import { WaitersByOrigin } from "#dispatcher/admission/waiters.ts";
import { Accounts } from "#dispatcher/connections/accounts.ts";
import { Origins } from "#dispatcher/connections/origins.ts";
import { Holdings } from "#dispatcher/delivery/holdings.ts";

const MINUTE_MS = 60_000;

function start() {
  let now = 0;
  const holdings = new Holdings(256);
  return {
    origins: new Origins({ holdings, monotonic: () => now }),
    holdings,
    pass(ms: number) {
      now += ms;
    },
  };
}

describe("the origins that a dispatcher knows", () => {
  it("are not active while they are idle, and are remembered for ten minutes", () => {
    const { origins, pass } = start();
    for (let n = 0; n < 1_000; n++) origins.originOf(`https://${n}.example`);
    expect(origins.active.size).toBe(1_000);
    origins.setIdleAside(() => false);
    expect(origins.active.size).toBe(0);
    pass(9 * MINUTE_MS);
    const known = origins.originOf("https://7.example");
    expect([...origins.active]).toEqual([known]);
    origins.setIdleAside(() => false);
    expect(origins.get("https://8.example")).toBeDefined();
    pass(2 * MINUTE_MS);
    origins.setIdleAside(() => false);
    expect(origins.get("https://8.example")).toBeUndefined();
    expect(origins.get("https://7.example")).toBe(known);
  });

  it("are remembered up to a maximum while they are idle; the oldest are forgotten first", () => {
    const { origins } = start();
    const { rememberedMax } = origins.figures();
    for (let n = 0; n < rememberedMax + 100; n++) origins.originOf(`https://${n}.example`);
    expect(origins.figures()).toMatchObject({ active: rememberedMax + 100, remembered: 0 });
    origins.setIdleAside(() => false);
    expect(origins.figures()).toMatchObject({ active: 0, remembered: rememberedMax });
    expect(origins.get("https://99.example")).toBeUndefined();
    expect(origins.get("https://100.example")).toBeDefined();
  });

  it("stay active while a connection to them is reserved or being opened", () => {
    const { origins, holdings } = start();
    const [reserved, opening] = ["https://a.example", "https://b.example"].map((key) => origins.originOf(key));
    holdings.reservedByOrigin.set("https://a.example", 1);
    if (opening) new Accounts().begin(opening, "account", 0);
    const waiters = new WaitersByOrigin(origins);
    origins.setIdleAside((origin) => waiters.of(origin).areAny);
    expect([...origins.active]).toEqual([reserved, opening]);
  });
});
