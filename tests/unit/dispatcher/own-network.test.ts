import { describe, expect, it } from "vitest";
import { TimedOut } from "#dispatcher/connections/address-race.ts";
import { type OwnFaultNews, OwnFaults } from "#dispatcher/connections/own-faults.ts";
import { OwnNetwork } from "#dispatcher/connections/own-network.ts";

const V4 = "93.184.216.34";
const V6 = "2606:2800:220:1::1";
const A = "https://a.example.com";
const B = "https://b.example.com";

const coded = (code: string) => (code === "silence" ? new TimedOut() : Object.assign(new Error(code), { code }));

/** A machine with a network until `routes` says otherwise, and name servers that answer until `nameServers` does. */
function start() {
  let now = 1_000;
  const routes = { 4: true, 6: true };
  const machine = { nameServers: null as string | null, asked: 0 };
  const news: OwnFaultNews[] = [];
  const monotonic = () => now;
  const faults = new OwnFaults({ monotonic, onNews: (one) => news.push(one) });
  const probes = {
    hasRoute: async (address: string) => routes[address.includes(":") ? 6 : 4],
    askNameServers: async () => {
      machine.asked++;
      return machine.nameServers;
    },
  };
  const network = new OwnNetwork({ monotonic, faults, probes });
  return {
    network,
    routes,
    machine,
    news,
    fault: () => faults.current(),
    pass(ms: number) {
      now += ms;
    },
    /** Whether the machine is why `origin` cannot be connected to: codes by address. Null when the target is. */
    tries: (origin: string, failures: Record<string, string>, tookMs = 0) =>
      network.judgeTries(
        origin,
        Object.entries(failures).map(([address, code]) => ({ address, error: coded(code) })),
        now - tookMs,
      ),
    name: (hostname: string, code: string, tookMs = 0) => network.judgeName(hostname, coded(code), now - tookMs),
  };
}

describe("a target that cannot be connected to", () => {
  it.each(["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ETIMEDOUT", "silence", "failed"])(
    "for %s is the cause itself, and the machine is not asked why",
    async (code) => {
      const { tries, fault } = start();
      expect(await tries(A, { [V4]: code })).toBeNull();
      expect(fault()).toBeNull();
    },
  );

  it.each(["ENETUNREACH", "ENETDOWN", "EPERM", "EACCES"])(
    "for %s is not the cause while nothing as far away is reached",
    async (code) => {
      const { tries, network, fault, pass } = start();
      expect(await tries(A, { [V4]: code })).toMatchObject({ forMs: 0 });
      pass(500);
      network.reached("http://localhost:1", "127.0.0.1");
      network.reached("https://10.0.0.1", "10.0.0.1");
      expect(await tries(A, { [V4]: code })).toMatchObject({ forMs: 500 });
      expect(fault()).toMatch(
        new RegExp(`^This machine cannot reach its IPv4 network \\(${code}\\).* without using up a retry`),
      );
    },
  );

  it("is the cause once another one as far away was reached since it began to fail", async () => {
    const { tries, network, fault, pass } = start();
    network.reached(B, V4);
    pass(1);
    expect(await tries(A, { [V4]: "EPERM" })).not.toBeNull();
    pass(1_000);
    network.reached(B, V4);
    expect(fault()).toBeNull();
    expect(await tries(A, { [V4]: "EPERM" })).toBeNull();
    pass(100_000);
    expect(await tries(A, { [V4]: "EPERM" })).toBeNull();
    expect(await tries("http://10.0.0.2", { "10.0.0.2": "ENETUNREACH" }, 1)).not.toBeNull();
  });

  it("for a network that was lost while it was tried is not the cause, whatever was reached before", async () => {
    const { tries, network, pass } = start();
    pass(5_000);
    network.reached(B, V4);
    pass(1);
    expect(await tries(A, { [V4]: "ENETUNREACH" }, 0)).not.toBeNull();
  });

  it.each(["EHOSTUNREACH", "EINVAL", "EADDRNOTAVAIL"])(
    "for %s is not the cause where there is no route",
    async (code) => {
      const { tries, routes, fault } = start();
      Object.assign(routes, { 4: false, 6: false });
      expect(await tries(A, { [V4]: code })).not.toBeNull();
      expect(fault()).toContain(code);
    },
  );

  it("has answers and silence of some addresses as its own, and a lack of the machine at others", async () => {
    const { tries, routes } = start();
    expect(await tries(A, { [V4]: "ECONNREFUSED", [V6]: "ENETUNREACH" })).toBeNull();
    expect(await tries(A, { [V4]: "ECONNREFUSED", [V6]: "EMFILE" })).toBeNull();
    expect(await tries(A, { [V4]: "silence", "93.184.216.35": "ENETUNREACH" })).toBeNull();
    routes[6] = false;
    expect(await tries(A, { [V4]: "silence", [V6]: "ENETUNREACH" })).toBeNull();
    routes[4] = false;
    expect(await tries(A, { [V4]: "ENETUNREACH", [V6]: "ENETUNREACH" })).not.toBeNull();
    expect(await tries(B, { [V4]: "ENETUNREACH", [V6]: "silence" })).not.toBeNull();
  });
});

describe("a family of addresses that the machine does not have", () => {
  it("is the reach of a target that has no other", async () => {
    const { tries, routes, fault } = start();
    routes[6] = false;
    for (const code of ["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"])
      expect(await tries(A, { [V6]: code })).toBeNull();
    Object.assign(routes, { 4: false, 6: true });
    expect(await tries(A, { [V4]: "ENETUNREACH" })).toBeNull();
    expect(fault()).toBeNull();
  });

  it("is the reach of a target even where the system knows a way to it, once the other one was connected to", async () => {
    const { tries, network, pass } = start();
    expect(await tries(A, { [V4]: "silence", [V6]: "EPERM" })).not.toBeNull();
    pass(1);
    network.reached(B, V4);
    expect(await tries(A, { [V4]: "silence", [V6]: "EPERM" })).toBeNull();
  });

  it("is lost for its targets while those of the other one are reached", async () => {
    const { tries, network, fault, pass } = start();
    network.reached(A, V4);
    pass(1);
    expect(await tries(A, { [V4]: "ENETUNREACH" })).not.toBeNull();
    pass(1);
    network.reached(B, V6);
    pass(1);
    expect(await tries(A, { [V4]: "ENETUNREACH" })).toMatchObject({ forMs: 2 });
    expect(fault()).toMatch(/its IPv4 network/);
    network.reached(B, V4);
    expect(fault()).toBeNull();
  });

  it("is lost where it was there before, and everything is lost where no family is there", async () => {
    const { tries, routes, network, pass } = start();
    Object.assign(routes, { 4: false, 6: false });
    expect(await tries(A, { [V6]: "ENETUNREACH" })).not.toBeNull();
    Object.assign(routes, { 4: true, 6: true });
    network.reached(B, "2400:cb00::1");
    pass(1);
    routes[6] = false;
    expect(await tries("https://c.example.com", { [V6]: "ENETUNREACH" })).not.toBeNull();
  });
});

describe("a machine without free sockets", () => {
  it.each(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"])(
    "is the cause of %s, whatever else is reached meanwhile",
    async (code) => {
      const { tries, network, fault, pass } = start();
      expect(await tries(A, { [V4]: code })).toMatchObject({ forMs: 0 });
      pass(1_000);
      network.reached(B, V4);
      expect(await tries(A, { [V4]: code })).toMatchObject({ forMs: 1_000 });
      expect(fault()).toMatch(/can open no more connections/);
    },
  );

  it("is the cause when a name cannot be resolved for that", async () => {
    const { name, machine } = start();
    expect(await name("a.example.com", "EMFILE")).toMatchObject({ forMs: 0 });
    expect(machine.asked).toBe(0);
  });
});

describe("a name that cannot be resolved", () => {
  it.each(["ENOTFOUND", "ENODATA", "EBADRESP", "ENOTIMP"])("for %s is the cause itself", async (code) => {
    const { name, machine } = start();
    machine.nameServers = "ECONNREFUSED";
    expect(await name("a.example.com", code)).toBeNull();
  });

  it.each(["ESERVFAIL", "ETIMEOUT", "EREFUSED", "EAI_AGAIN", "silence"])(
    "for %s is the cause where the name servers answer for others, and not where they answer for none",
    async (code) => {
      const { name, machine, pass, fault } = start();
      expect(await name("a.example.com", code)).toBeNull();
      machine.nameServers = code === "silence" || code === "EAI_AGAIN" ? "ETIMEOUT" : code;
      pass(1_000);
      expect(await name("a.example.com", code)).toMatchObject({ forMs: 1_000 });
      expect(fault()).toMatch(/^The name servers of this machine do not answer/);
    },
  );

  it("is the cause when others were answered since its question began, without a further question", async () => {
    const { name, machine, network, pass } = start();
    machine.nameServers = "ETIMEOUT";
    pass(5_000);
    network.answered("b.example.com", true);
    pass(5_000);
    expect(await name("a.example.com", "silence", 10_000)).toBeNull();
    expect(machine.asked).toBe(0);
    expect(await name("c.example.com", "silence", 1_000)).not.toBeNull();
  });

  it("is not the cause where no name server could be asked", async () => {
    const { name, machine } = start();
    expect(await name("a.example.com", "ECONNREFUSED")).toMatchObject({ forMs: 0 });
    expect(machine.asked).toBe(0);
  });

  it("is the cause where name servers that refuse most names did not refuse it", async () => {
    const { name, machine, pass } = start();
    machine.nameServers = "EREFUSED";
    expect(await name("a.example.com", "ESERVFAIL")).toBeNull();
    pass(1_000);
    expect(await name("b.example.com", "EREFUSED")).not.toBeNull();
  });

  it("by the system is not the cause when another one is not resolved either", async () => {
    const { name, network, pass } = start();
    expect(await name("a.internal", "EAI_AGAIN")).toBeNull();
    expect(await name("a.internal", "EAI_AGAIN")).toBeNull();
    expect(await name("b.internal", "EAI_AGAIN")).not.toBeNull();
    pass(1);
    network.answered("c.example.com", true);
    expect(await name("b.internal", "EAI_AGAIN")).toBeNull();
  });

  it("that the operator allows proves by being known only what it was not known for before", async () => {
    const { name, network, machine, fault, pass } = start();
    machine.nameServers = "ETIMEOUT";
    expect(await name("a.internal", "EAI_AGAIN")).not.toBeNull();
    pass(1);
    network.answered("localhost", false);
    expect(fault()).not.toBeNull();
    expect(await name("a.internal", "EAI_AGAIN")).not.toBeNull();
    network.answered("a.internal", false);
    expect(fault()).toBeNull();
  });

  it("costs one question a second at most, however many names fail", async () => {
    const { name, machine, pass } = start();
    for (let n = 0; n < 100; n++) {
      await name(`n${n}.example.com`, "ESERVFAIL");
      pass(20);
    }
    expect(machine.asked).toBe(2);
  });
});

describe("a fault of the machine", () => {
  it("is over when what proves that was seen, and each is told once", async () => {
    const { tries, name, network, news, fault, pass } = start();
    for (let n = 0; n < 5; n++) await tries(A, { [V4]: "ENETUNREACH" });
    await name("a.example.com", "ECONNREFUSED");
    network.reached("http://localhost:1", "127.0.0.1");
    expect(fault()).toMatch(/cannot reach its IPv4 network/);
    pass(10);
    network.reached(A, V4);
    expect(fault()).toMatch(/name servers/);
    network.answered("b.example.com", true);
    expect(fault()).toBeNull();
    expect(news).toEqual([
      { fault: "IPv4 network", code: "ENETUNREACH", isOver: false },
      { fault: "name servers", code: "ECONNREFUSED", isOver: false },
      { fault: "IPv4 network", code: "ENETUNREACH", isOver: true },
      { fault: "name servers", code: "ECONNREFUSED", isOver: true },
    ]);
  });

  it("is over when nothing has failed by it for half a minute", async () => {
    const { tries, fault, pass } = start();
    await tries(A, { [V4]: "EMFILE" });
    pass(30_000);
    expect(fault()).not.toBeNull();
    pass(1);
    expect(fault()).toBeNull();
  });

  it("that comes and goes is told once a minute", async () => {
    const { tries, network, news, pass } = start();
    for (let n = 0; n < 60; n++) {
      await tries(`https://n${n}.example.com`, { [V4]: "EPERM" });
      pass(1_000);
      network.reached(B, V4);
      pass(1_000);
    }
    expect(news.filter(({ isOver }) => !isOver)).toHaveLength(2);
    expect(news.filter(({ isOver }) => isOver)).toHaveLength(2);
  });
});
