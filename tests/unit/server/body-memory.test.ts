import { afterEach, describe, expect, it, vi } from "vitest";
import { BodyMemory } from "#server/http/body-memory.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const LARGEST = 32 * MIB;
const all: BodyMemory[] = [];

afterEach(() => {
  for (const one of all.splice(0)) one.release();
});

function kept(memory: BodyMemory): BodyMemory {
  all.push(memory);
  return memory;
}

/** A body that is still arriving. */
function take(accountId: string, bytes: number): BodyMemory {
  const memory = kept(BodyMemory.ofAccount(accountId));
  memory.reserve(bytes);
  return memory;
}

/** A body that has arrived. */
function settled(accountId: string, bytes: number): BodyMemory {
  const memory = take(accountId, bytes);
  memory.settle();
  return memory;
}

function takeFrom(address: string, bytes: number): BodyMemory {
  const memory = kept(BodyMemory.ofCaller(address));
  memory.reserve(bytes);
  return memory;
}

const refusal = (code: string) => expect.objectContaining({ code, headers: { "Retry-After": "2" } });

describe("the memory for bodies", () => {
  it("of one account suffices for one largest body; what the account sends beyond it is RATE_LIMITED", () => {
    const first = take("a", LARGEST);
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    first.release();
    expect(() => take("a", LARGEST)).not.toThrow();
  });

  it("of small bodies stays free when large ones use up all of theirs, even for the same account", () => {
    for (const account of ["a", "b", "c"]) settled(account, LARGEST);
    for (const account of ["a", "d"]) expect(() => take(account, 500_000)).not.toThrow();
  });

  it("is bounded for an account's small bodies, too", () => {
    for (let n = 0; n < 32; n++) take("a", MIB / 2);
    expect(() => take("a", 1)).toThrow(refusal("RATE_LIMITED"));
  });

  it("grows with a body; a body that is refused more keeps what it has until it is released", () => {
    take("a", LARGEST - MIB);
    const growing = take("a", 1_000);
    growing.reserve(600_000);
    growing.reserve(MIB);
    expect(() => growing.reserve(MIB + 1)).toThrow(refusal("RATE_LIMITED"));
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    growing.release();
    expect(() => take("a", MIB)).not.toThrow();
  });

  it("is not taken again by chunks that arrive after it was released", () => {
    const over = take("a", 1_000);
    over.release();
    over.reserve(LARGEST);
    expect(() => take("a", LARGEST)).not.toThrow();
  });

  it("is shared by all copies of the module in the process", async () => {
    vi.resetModules();
    const copy: typeof import("#server/http/body-memory.ts") = await import("#server/http/body-memory.ts");
    expect(copy.BodyMemory).not.toBe(BodyMemory);
    take("a", LARGEST);
    const ofCopy = copy.BodyMemory.ofAccount("a");
    expect(() => ofCopy.reserve(600_000)).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
    for (const account of ["b", "c"]) take(account, LARGEST);
    const small = copy.BodyMemory.ofAccount("d");
    all.push(small as BodyMemory);
    small.reserve(600_000);
    expect(all.some((one) => one.refusal !== undefined)).toBe(true);
  });
});

describe("when the memory for bodies is used up", () => {
  it("the account that holds most loses its largest arriving body, and the new body is admitted", () => {
    const bodies = ["a", "b", "c"].map((account) => take(account, 31 * MIB));
    const second = take("b", MIB);
    const told = vi.fn();
    bodies[1]?.onRevoked(told);
    const newcomer = take("d", 3 * MIB);
    expect(bodies.map(({ refusal: lost }) => lost?.code)).toEqual([undefined, "RATE_LIMITED", undefined]);
    expect(told).toHaveBeenCalledExactlyOnceWith(refusal("RATE_LIMITED"));
    expect(() => bodies[1]?.reserve(LARGEST)).toThrow(refusal("RATE_LIMITED"));
    for (const one of [newcomer, second]) expect(one.refusal).toBeUndefined();
  });

  it("a body is refused when its own account holds most", () => {
    for (const account of ["a", "b", "c"]) take(account, 31 * MIB);
    const most = take("d", 3 * MIB);
    expect(() => most.reserve(31 * MIB + 1)).toThrow(refusal("RATE_LIMITED"));
    expect(all.filter((one) => one.refusal !== undefined)).toEqual([]);
  });

  it("only a body that is still arriving is revoked; when there is none, the new body is UNAVAILABLE", () => {
    settled("a", LARGEST);
    settled("b", LARGEST);
    const arriving = take("c", LARGEST - MIB);
    settled("d", 2 * MIB);
    expect(arriving.refusal?.code).toBe("RATE_LIMITED");
    settled("c", 30 * MIB);
    expect(() => take("e", MIB)).toThrow(refusal("UNAVAILABLE"));
  });

  it("by many accounts with a little each, an account that sends less than they do is served", () => {
    const crowd = Array.from({ length: 128 }, (_, n) => take(`crowd ${n}`, 512 * KIB));
    for (let n = 0; n < 20; n++) take("honest", 1_000);
    expect(crowd.filter((one) => one.refusal !== undefined)).toHaveLength(1);
    expect(all.filter((one) => one.refusal !== undefined)).toHaveLength(1);
  });
});

describe("the memory for bodies of callers without a credential", () => {
  it("is separate from that of accounts", () => {
    for (const n of [1, 2]) takeFrom(`192.0.2.${n}`, 16 * MIB);
    expect(() => take("a", LARGEST)).not.toThrow();
    expect(() => take("a", 1_000)).not.toThrow();
  });

  it("is shared by all addresses of an IPv6 /64, and by no others", () => {
    takeFrom("2001:db8:0:1::1", 15 * MIB);
    expect(() => takeFrom("2001:db8:0:1:ffff::2", 2 * MIB)).toThrow(refusal("RATE_LIMITED"));
    expect(() => takeFrom("2001:db8:0:2::1", 2 * MIB)).not.toThrow();
  });

  it("is taken from the network that holds most, so that smaller callers such as the billing provider are admitted", () => {
    const attack = ["192.0.2.1", "192.0.2.2"].flatMap((address) =>
      Array.from({ length: 32 }, () => takeFrom(address, 512 * KIB)),
    );
    expect(() => takeFrom("198.51.100.7", 400 * KIB)).not.toThrow();
    expect(attack.filter((one) => one.refusal !== undefined)).toHaveLength(1);
  });
});
