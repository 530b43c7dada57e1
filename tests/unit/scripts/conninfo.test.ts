import { expect, it } from "vitest";
import { conninfoOf } from "#scripts/move/conninfo.ts";

it("the new server gets the old one's address with its TLS mode, and the system's authorities by name", () => {
  expect(conninfoOf("postgres://u:p'w@h:1/d?sslmode=verify-full&sslrootcert=system")).toBe(
    "host='h' port='1' user='u' password='p\\'w' dbname='d' sslmode='verify-full' sslrootcert='system'",
  );
});

it.each(["sslrootcert=/ca.pem", "sslcert=/c.pem&sslkey=/k.pem"])(
  "files of this machine (%s) are not passed to the new server",
  (query) => {
    expect(() => conninfoOf(`postgres://u:p@h/d?${query}`)).toThrow(
      /names a file of this machine: give --source-for-target/,
    );
  },
);
