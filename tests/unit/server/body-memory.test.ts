import { afterEach, describe, expect, it } from "vitest";
import { BodyRoom } from "#server/http/body-memory.ts";

const MIB = 1024 * 1024;
const LARGEST = 32 * MIB;
const rooms: BodyRoom[] = [];

afterEach(() => {
  for (const room of rooms.splice(0)) room.giveBack();
});

function take(accountId: string, bytes: number): BodyRoom {
  const room = new BodyRoom(accountId);
  rooms.push(room);
  room.take(bytes);
  return room;
}

const refusal = (code: string) => expect.objectContaining({ code, headers: { "Retry-After": "2" } });

describe("the room for bodies", () => {
  it("of one account is that of its largest body, and what it has beyond is RATE_LIMITED", () => {
    const first = take("a", LARGEST);
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    first.giveBack();
    expect(() => take("a", LARGEST)).not.toThrow();
  });

  it("of the process is that of three of the largest, and what comes beyond is UNAVAILABLE", () => {
    for (const account of ["a", "b", "c"]) take(account, LARGEST);
    expect(() => take("d", 600_000)).toThrow(refusal("UNAVAILABLE"));
    rooms[0]?.giveBack();
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
    growing.take(600_000);
    growing.take(MIB);
    expect(() => growing.take(MIB + 1)).toThrow(refusal("RATE_LIMITED"));
    expect(() => take("a", 600_000)).toThrow(refusal("RATE_LIMITED"));
    growing.giveBack();
    expect(() => take("a", MIB)).not.toThrow();
  });

  it("that was given back is not taken again by what still comes", () => {
    const over = take("a", 1_000);
    over.giveBack();
    over.take(LARGEST);
    expect(() => take("a", LARGEST)).not.toThrow();
  });
});
