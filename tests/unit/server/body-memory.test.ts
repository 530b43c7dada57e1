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
  it("for one account is one largest body, and what the account sends beyond it is RATE_LIMITED", () => {
    const first = take("a", LARGEST);
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    first.release();
    expect(() => take("a", LARGEST)).not.toThrow();
  });

  it("for the process is three of the largest bodies, and what comes beyond them is UNAVAILABLE", () => {
    for (const account of ["a", "b", "c"]) take(account, LARGEST);
    expect(() => take("d", 600_000)).toThrow(refusal("UNAVAILABLE"));
    rooms[0]?.release();
    expect(() => take("d", 600_000)).not.toThrow();
  });

  it("for small bodies stays free while large ones take all of theirs, even of the same account", () => {
    for (const account of ["a", "b", "c"]) take(account, LARGEST);
    for (const account of ["a", "d"]) expect(() => take(account, 500_000)).not.toThrow();
  });

  it("is bounded for small bodies too, by account and for the process", () => {
    for (let n = 0; n < 32; n++) take("a", MIB / 2);
    expect(() => take("a", 1)).toThrow(refusal("RATE_LIMITED"));
    for (const account of ["b", "c", "d"]) for (let n = 0; n < 32; n++) take(account, MIB / 2);
    expect(() => take("e", 1)).toThrow(refusal("UNAVAILABLE"));
  });

  it("is taken while a body is read, and a body that finds no more keeps what it has until it is given back", () => {
    take("a", LARGEST - MIB);
    const growing = take("a", 1_000);
    growing.reserve(600_000);
    growing.reserve(MIB);
    expect(() => growing.reserve(MIB + 1)).toThrow(refusal("RATE_LIMITED"));
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    growing.release();
    expect(() => take("a", MIB)).not.toThrow();
  });

  it("is not taken again by chunks that arrive after it was given back", () => {
    const over = take("a", 1_000);
    over.release();
    over.reserve(LARGEST);
    expect(() => take("a", LARGEST)).not.toThrow();
  });
});
