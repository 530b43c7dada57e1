import { afterEach, describe, expect, it } from "vitest";
import { BodyMemory } from "#server/http/body-memory.ts";

const MIB = 1024 * 1024;
const LARGEST = 32 * MIB;
const rooms: BodyMemory[] = [];

afterEach(() => {
  for (const room of rooms.splice(0)) room.release();
});

function take(accountId: string, bytes: number): BodyMemory {
  const room = new BodyMemory(accountId);
  rooms.push(room);
  room.reserve(bytes);
  return room;
}

const refusal = (code: string) => expect.objectContaining({ code, headers: { "Retry-After": "2" } });

describe("the room for bodies", () => {
  it("of one account is that of its largest body, and what it has beyond is RATE_LIMITED", () => {
    const first = take("a", LARGEST);
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    first.release();
    expect(() => take("a", LARGEST)).not.toThrow();
  });

  it("of the process is that of three of the largest, and what comes beyond is UNAVAILABLE", () => {
    for (const account of ["a", "b", "c"]) take(account, LARGEST);
    expect(() => take("d", 600_000)).toThrow(refusal("UNAVAILABLE"));
    rooms[0]?.release();
    expect(() => take("d", 600_000)).not.toThrow();
  });

  it("is there for small bodies while large ones take all of theirs, of the same account too", () => {
    for (const account of ["a", "b", "c"]) take(account, LARGEST);
    for (const account of ["a", "d"]) expect(() => take(account, 500_000)).not.toThrow();
  });

  it("has a bound for small bodies too, of an account and of the process", () => {
    for (let n = 0; n < 32; n++) take("a", MIB / 2);
    expect(() => take("a", 1)).toThrow(refusal("RATE_LIMITED"));
    for (const account of ["b", "c", "d"]) for (let n = 0; n < 32; n++) take(account, MIB / 2);
    expect(() => take("e", 1)).toThrow(refusal("UNAVAILABLE"));
  });

  it("is taken as a body comes, and one that finds no more keeps what it had until it gives it back", () => {
    take("a", LARGEST - MIB);
    const growing = take("a", 1_000);
    growing.reserve(600_000);
    growing.reserve(MIB);
    expect(() => growing.reserve(MIB + 1)).toThrow(refusal("RATE_LIMITED"));
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    growing.release();
    expect(() => take("a", MIB)).not.toThrow();
  });

  it("that was given back is not taken again by what still comes", () => {
    const over = take("a", 1_000);
    over.release();
    over.reserve(LARGEST);
    expect(() => take("a", LARGEST)).not.toThrow();
  });
});
