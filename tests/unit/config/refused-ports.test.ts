import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";
import { isRefusedPort } from "#domain/refused-ports.ts";

const read = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: "postgres://localhost/x",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...settings,
  });

/** What `fetch` says of a port, without a connection. */
function refusedByFetch(port: number): Promise<boolean> {
  const dispatcher = {
    dispatch() {
      throw new Error("asked");
    },
  };
  return fetch(`http://localhost:${port}`, { dispatcher } as unknown as RequestInit).then(
    () => false,
    (error) => error.cause?.message === "bad port",
  );
}

describe("a port to which browsers and fetch do not connect", () => {
  test("is known, as fetch knows it", async () => {
    for (let port = 1; port <= 11_000; port++) {
      if (isRefusedPort(port) || port % 250 === 0 || port < 1_100) {
        expect([port, isRefusedPort(port)]).toEqual([port, await refusedByFetch(port)]);
      }
    }
  });

  test.each(["PORT", "DISPATCHER_PORT"])("is refused in %s", (name) => {
    expect(() => read({ [name]: "6000" })).toThrow(new RegExp(`^${name}: expected a port to which browsers connect`));
    expect(() => read({ [name]: "6001" })).not.toThrow();
    expect(() => read({ [name]: "0" })).not.toThrow();
  });

  test("is refused in BASE_URL", () => {
    expect(() => read({ BASE_URL: "http://localhost:6000" })).toThrow(/^BASE_URL: expected a port to which browsers/);
    for (const BASE_URL of ["https://a.example", "http://a.example:80", "http://localhost:6001"])
      expect(() => read({ BASE_URL })).not.toThrow();
  });
});
