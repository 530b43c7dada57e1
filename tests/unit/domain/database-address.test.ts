import { describe, expect, it } from "vitest";
import { atHost, describeDatabase, parseDatabaseAddress } from "#domain/database-address.ts";

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
      "postgres://u:p@a:1,b,[::1]:3,[fe80::1]/d?options=1,2",
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
    ["postgres://u@:6000/d", [["localhost", 6000]]],
    ["postgres://u:p@/d?host=/cloudsql/project:region:name", [["/cloudsql/project:region:name", 5432]]],
    ["postgres://u:p@localhost/d?host=/tmp&port=6000", [["/tmp", 6000]]],
    ["postgres://u:p@%2Fvar%2Frun%2Fpostgresql/d", [["/var/run/postgresql", 5432]]],
    [
      "postgres:///d?host=a,::1&port=1,2",
      [
        ["a", 1],
        ["::1", 2],
      ],
    ],
    [
      "postgres:///d?host=a,b&port=7",
      [
        ["a", 7],
        ["b", 7],
      ],
    ],
  ])("%s has its hosts in order, each with its own port or 5432", (text, hosts) => {
    expect(parseDatabaseAddress(text).hosts.map(({ host, port }) => [host, port])).toEqual(hosts);
  });

  it("has a user, a database and parameters, decoded", () => {
    const text = "postgres://u%40x:p%2Fw@a,b:6/d%20e?sslmode=verify-full&target_session_attrs=read-write";
    const { user, password, database, parameters } = parseDatabaseAddress(text);
    expect([user, database, parameters.get("sslmode")]).toEqual(["u@x", "d e", "verify-full"]);
    expect(password).toBe("p/w");
    expect(parseDatabaseAddress("postgres://u:a:b@c@h/d")).toMatchObject({ password: "a:b@c", database: "d" });
    const named = parseDatabaseAddress("postgres://h?user=u&password=p%40w&dbname=d");
    expect(named).toMatchObject({ user: "u", password: "p@w", database: "d", ignored: [] });
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
    "postgres://u:secret#x@a/d",
    "postgres://u:12#secret@a/d",
    "postgres://u:12/secret@a/d",
    "postgres://u:12?secret@a/d",
    "postgres://u:12?secret=1@a/d",
    "postgres://u:12#secret",
    "postgres://u:secret@a/d?host=b:5432",
    "postgres://u:secret@a/d?host=b&port=x",
    "postgres://u:secret@a/d?host=a,b,c&port=1,2",
    "postgres:/u:secret@a/d",
    " postgres://u:secret@a/d",
    "postgres://u:secret@a,b/d?target_session_attrs=standby",
    "postgres://u:secret@a,b/d?target_session_attrs=any",
  ])("%s is refused, and the message does not show it", (text) => {
    expect(() => parseDatabaseAddress(text)).toThrow(/^expected (?!.*secret)/);
  });

  it.each([
    "channel_binding=require&sslmode=require",
    "pgbouncer=true&connection_limit=1&schema=public",
    "gssencmode=disable&keepalives=1&keepalives_idle=30",
    "supa=base-pooler.x&workaround=supabase-pooler.vercel",
    "application_name=x&connect_timeout=10",
  ])("may have parameters for other drivers, which are named and have no effect: %s", (query) => {
    const { ignored, parameters } = parseDatabaseAddress(`postgres://u:p@h/d?${query}`);
    const names = [...new URLSearchParams(query).keys()];
    expect(ignored).toEqual(names.filter((name) => name !== "sslmode"));
    expect([...parameters.keys()]).toEqual(names.filter((name) => name === "sslmode"));
  });

  it("with an unknown parameter is refused by its name", () => {
    expect(() => parseDatabaseAddress("postgres://u:p@h/d?sslmod=verify-full&foo=1")).toThrow(
      /^unknown parameters sslmod, foo: known are host,/,
    );
    expect(() => parseDatabaseAddress("postgres://u:p@h/d?%20secret=1")).toThrow(/^unknown parameter(?!.*secret)/);
  });

  it("whose password has characters of an address says how to write them", () => {
    expect(() => parseDatabaseAddress("postgres://u:p#ss@h/d")).toThrow(/# .* as .*%23/);
  });

  it("is described by its database and hosts, without user and password", () => {
    expect(describeDatabase(parseDatabaseAddress("postgres://u:p@a:1,[::1]/d"))).toBe("d on a:1,[::1]:5432");
  });
});

describe("the address of one host", () => {
  const place = { host: "::1", port: 6 };
  it.each([
    ["postgres://u%40x:p%2Fw@a,b:6/d%20e?sslmode=require&target_session_attrs=read-write", place],
    ["postgres://u:p@/d?host=a,b&port=1,2&sslmode=verify-full", { host: "/var/run", port: 5433 }],
    ["postgres://h/d", { host: "other", port: 5432 }],
  ])("is that of %s with %j alone", (text, host) => {
    const [before, after] = [parseDatabaseAddress(text), parseDatabaseAddress(atHost(text, host))];
    expect(after.hosts).toEqual([host]);
    expect(after).toMatchObject({ user: before.user, password: before.password, database: before.database });
    expect(after.parameters.get("sslmode")).toBe(before.parameters.get("sslmode"));
  });
});
