import { describe, expect, it } from "vitest";
import { describeDatabase, parseDatabaseAddress } from "#domain/database-address.ts";

describe("the address of a database", () => {
  it.each([
    ["postgres://u:p@h:5433/d", [["h", 5433]]],
    ["postgresql://u:p@h/d", [["h", 5432]]],
    ["postgres://u:p@h:/d", [["h", 5432]]],
    [
      "postgres://u:p@a:1,b:2/d",
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    [
      "postgres://u:p@a:1,b,[::1]:3,[fe80::1]/d?x=1,2",
      [
        ["a", 1],
        ["b", 5432],
        ["::1", 3],
        ["fe80::1", 5432],
      ],
    ],
    ["postgres://u@[::1]/d", [["::1", 5432]]],
    ["postgres://u:p,q@h/d", [["h", 5432]]],
    ["postgres:///d", []],
  ])("%s has its hosts in order, each with its own port or 5432", (text, hosts) => {
    expect(parseDatabaseAddress(text).hosts.map(({ host, port }) => [host, port])).toEqual(hosts);
  });

  it("has a user, a database and parameters, decoded", () => {
    const text = "postgres://u%40x:p%2Fw@a,b:6/d%20e?sslmode=verify-full&target_session_attrs=read-write";
    const { user, database, parameters, firstUrl } = parseDatabaseAddress(text);
    expect([user, database, parameters.get("sslmode")]).toEqual(["u@x", "d e", "verify-full"]);
    expect(new URL(firstUrl).host).toBe("a");
    expect(parseDatabaseAddress("postgres://u@h").database).toBe("u");
  });

  it.each([
    "",
    "postgres://",
    "mysql://u:p@h/d",
    "postgres://u:secret@a,,b/d",
    "postgres://u:secret@a:1,/d",
    "postgres://u:secret@a:0/d",
    "postgres://u:secret@a:1,b:65536/d",
    "postgres://u:secret@a:1:2/d",
    "postgres://u:secret@a:x,b/d",
    "postgres://u:secret@[::1/d",
    "postgres://u:secret@::1/d",
    "postgres://u:secret%@a/d",
    "postgres://u:secret/x@a/d",
    "postgres://u:secret@a,b/d?target_session_attrs=standby",
    "postgres://u:secret@a,b/d?target_session_attrs=any",
  ])("%s is refused, and the message does not show it", (text) => {
    expect(() => parseDatabaseAddress(text)).toThrow(/^expected (?!.*secret)/);
  });

  it("is described by its database and hosts, without user and password", () => {
    expect(describeDatabase(parseDatabaseAddress("postgres://u:p@a:1,[::1]/d"))).toBe("d on a:1,[::1]:5432");
  });
});
