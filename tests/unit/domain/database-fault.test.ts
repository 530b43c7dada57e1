import { describe, expect, it } from "vitest";
import { DATABASE_FAULTS, describeFault, faultOfCode } from "#domain/database-fault.ts";

describe("an error code of the database", () => {
  it.each([
    ["ECONNREFUSED", "unreachable"],
    ["CONNECTION_CLOSED", "unreachable"],
    ["CONNECT_TIMEOUT", "unreachable"],
    ["08006", "unreachable"],
    ["57P03", "unreachable"],
    ["57014", "timeout"],
    ["25P04", "timeout"],
    ["55P03", "conflict"],
    ["40001", "conflict"],
    ["53100", "disk_full"],
    ["53200", "out_of_memory"],
    ["53300", "too_many_connections"],
    ["53000", "resources"],
    ["25006", "read_only"],
    ["42501", "privilege"],
    ["28P01", "login"],
    ["3D000", "login"],
    ["42P01", "schema"],
    ["3F000", "schema"],
    ["UNREADABLE_ANSWER", "settings"],
    ["58030", "files"],
    ["XX001", "files"],
    ["XX002", "files"],
  ])("%s means %s", (code, fault) => {
    expect(faultOfCode(code)).toBe(fault);
  });

  it.each(["23505", "42601", "42703", "42883", "22008", "P0001", "XX000", "5310", "531000", "x53100", ""])(
    "%s means no fault",
    (code) => {
      expect(faultOfCode(code)).toBeUndefined();
    },
  );
});

it("each fault has words of its own, and only an unreachable database cannot be reached", () => {
  const words = DATABASE_FAULTS.map(describeFault);
  expect(new Set(words).size).toBe(DATABASE_FAULTS.length);
  for (const text of words) expect(text).toMatch(/^The database [^.]+\.( [A-Z][^.]+\.)?$/);
  expect(DATABASE_FAULTS.filter((fault) => describeFault(fault).includes("reached right now"))).toEqual([
    "unreachable",
  ]);
});
