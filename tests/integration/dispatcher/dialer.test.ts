import { describe, expect, it, vi } from "vitest";
import { Dialer } from "#dispatcher/connections/dialer.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import answers from "../../vectors/resolver-answers.json" with { type: "json" };

const dialerWith = (resolve: (name: string) => Promise<string[]>, allow = "", deny = "") =>
  new Dialer({ policy: parseTargetPolicy(allow, deny), monotonic: monotonicNow, resolve });

describe("a connection to a host name", () => {
  it.each(answers.filter(({ expect }) => expect.includes("blocked")))(
    "is refused: $name",
    async ({ resolver_answers }) => {
      const last = resolver_answers.at(-1) as string[];
      const dialer = dialerWith(async () => last);
      expect(await dialer.open("https://target.example.com")).toMatchObject({ kind: "blocked" });
    },
  );

  it.each([
    [["1.1.1.1", "169.254.169.254"], "private-ipv4"],
    [["fd00::1"], "private-ipv6"],
    [["::ffff:10.0.0.1"], "private-ipv6"],
    [["64:ff9b::a9fe:a9fe"], "private-ipv4"],
    [["nonsense"], "not-an-address"],
    [["5.6.7.8"], "denied-range"],
  ])(
    "to %j is refused by a rule whose name the operator learns, and the account learns no address",
    async (addresses, rule) => {
      const refused: string[][] = [];
      const dialer = new Dialer({
        policy: parseTargetPolicy("", "5.6.0.0/16"),
        monotonic: monotonicNow,
        resolve: async () => addresses,
        onRefused: (...told) => refused.push(told),
      });
      expect(await dialer.open("https://target.example.com")).toEqual({
        kind: "blocked",
        error: "blocked: the target's address is not allowed",
      });
      expect(refused).toEqual([[rule, "https://target.example.com"]]);
    },
  );

  it("with a refused address of one family goes to an allowed one of the other", async () => {
    const receiver = await startReceiver({ tls: false });
    try {
      const { port } = receiver;
      const dialer = dialerWith(async () => ["fd00::1", "127.0.0.1"], `http://localhost:${port}`, "fd00::/8");
      const opened = await dialer.open(`http://localhost:${port}`);
      expect(opened).toMatchObject({ kind: "open" });
      if (opened.kind === "open") opened.connection.destroy();
    } finally {
      await receiver.close();
    }
  });

  it("is resolved anew each time, so that a name that has become private is refused", async () => {
    const resolved = [["192.0.2.1"], ["10.0.0.5"]];
    const asked: string[] = [];
    const dialer = dialerWith(async (name) => {
      asked.push(name);
      return resolved.shift() ?? [];
    });
    await dialer.open("https://target.example.com");
    expect(await dialer.open("https://target.example.com")).toMatchObject({ kind: "blocked" });
    expect(asked).toEqual(["target.example.com", "target.example.com"]);
  });

  it("that does not resolve fails with the code of the name server and no address, and counts against the target", async () => {
    const dialer = dialerWith(async () =>
      Promise.reject(Object.assign(new Error("for 10.0.0.1"), { code: "ENOTFOUND" })),
    );
    expect(await dialer.open("https://target.example.com")).toEqual({
      kind: "unreachable",
      error: "name resolution: ENOTFOUND",
    });
    expect(await dialerWith(async () => []).open("https://target.example.com")).toEqual({
      kind: "unreachable",
      error: "name resolution: no address",
    });
  });

  it("is given up after ten seconds when the name server never answers, while others proceed", async () => {
    const dialer = dialerWith((name) =>
      name === "silent.example.com" ? new Promise(() => {}) : Promise.resolve(["::1"]),
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const outcomes: unknown[] = [];
      const silent = dialer.open("https://silent.example.com").then((outcome) => outcomes.push(outcome));
      expect(await dialer.open("https://target.example.com")).toMatchObject({ kind: "blocked" });
      await vi.advanceTimersByTimeAsync(CONNECT_DEADLINE_MS - 1_000);
      expect(outcomes).toEqual([]);
      await vi.advanceTimersByTimeAsync(1_000);
      await silent;
      expect(outcomes).toEqual([{ kind: "unreachable", error: "name resolution: timed out after 10 s" }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a target with a certificate of an unknown authority", () => {
  it("is not connected to, even when NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const receiver = await startReceiver({ tls: true });
    try {
      const dialer = dialerWith(async () => ["127.0.0.1"], `localhost:${receiver.port}`);
      const opened = await dialer.open(`https://localhost:${receiver.port}`);
      expect(opened).toEqual({
        kind: "unreachable",
        error: expect.stringMatching(/^connection: [A-Z_]*(SIGN|VERIFY)/),
      });
    } finally {
      vi.unstubAllEnvs();
      await receiver.close();
    }
  });
});

describe("a connection to an address", () => {
  it.each(["https://127.0.0.1", "https://[::1]", "https://169.254.169.254", "https://[::ffff:10.0.0.1]"])(
    "%s is refused without a lookup",
    async (origin) => {
      const dialer = dialerWith(async () => Promise.reject(new Error("nobody should ask")));
      expect(await dialer.open(origin)).toMatchObject({ kind: "blocked" });
    },
  );

  it("is opened when the operator allows the address, and refused when the operator denies it", async () => {
    const receiver = await startReceiver({ tls: false });
    try {
      const allowed = dialerWith(async () => ["127.0.0.1"], receiver.origin);
      const opened = await allowed.open(receiver.origin);
      expect(opened).toMatchObject({ kind: "open" });
      if (opened.kind === "open") opened.connection.destroy();
      const denied = dialerWith(async () => ["127.0.0.1"], receiver.origin, "127.0.0.0/8");
      expect(await denied.open(receiver.origin)).toMatchObject({ kind: "blocked" });
    } finally {
      await receiver.close();
    }
  });

  it("fails with the code of the check when the certificate is from an unknown authority", async () => {
    const receiver = await startReceiver();
    try {
      const dialer = dialerWith(async () => ["127.0.0.1"], `localhost:${receiver.port}`);
      expect(await dialer.open(receiver.origin)).toEqual({
        kind: "unreachable",
        error: "connection: SELF_SIGNED_CERT_IN_CHAIN",
      });
    } finally {
      await receiver.close();
    }
  });
});
