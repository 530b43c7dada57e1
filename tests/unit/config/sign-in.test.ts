import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";

const read = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: "postgres://localhost/x",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...settings,
  });

describe("SIGNUP", () => {
  test.each(["0.0.0.0", "::", "192.168.1.2", "stopwatch.internal"])(
    "is first, when it is omitted and the web part listens on %s, whatever BASE_URL says",
    (HOST) => {
      expect(read({ HOST }).signup).toBe("first");
      expect(read({ HOST, BASE_URL: "http://localhost:3000" }).signup).toBe("first");
      expect(read({ HOST, SIGNUP: "open" }).signup).toBe("open");
    },
  );

  test.each(["127.0.0.1", "127.0.0.2", "localhost", "::1"])(
    "is open, when it is omitted and the web part listens on %s only and BASE_URL is on this machine",
    (HOST) => {
      expect(read({ HOST }).signup).toBe("open");
      expect(read({ HOST, BASE_URL: "https://stopwatch.example" }).signup).toBe("first");
    },
  );

  test.each([
    [undefined, "open"],
    ["http://localhost:3000", "open"],
    ["http://127.0.0.1", "open"],
    ["http://[::1]:3000", "open"],
    ["https://stopwatch.example", "first"],
    ["http://192.168.1.2", "first"],
    ["http://localhost.example", "first"],
    ["http://127.0.0.1.example", "first"],
  ])("is, when it is omitted and BASE_URL is %s, %s", (BASE_URL, signup) => {
    expect(read(BASE_URL ? { BASE_URL } : {}).signup).toBe(signup);
  });

  test("has the value that is set, on any address, and accepts no other value", () => {
    for (const signup of ["open", "invited", "closed"]) expect(read({ SIGNUP: signup }).signup).toBe(signup);
    expect(() => read({ SIGNUP: "first" })).toThrow(/^SIGNUP: /);
  });
});

describe("the sign-in provider", () => {
  test.each(["GOOGLE", "GITHUB"] as const)("%s needs both an id and a secret, and one alone is refused", (name) => {
    const provider = name.toLowerCase() as "google" | "github";
    const [id, secret] = [{ [`AUTH_${name}_ID`]: "id" }, { [`AUTH_${name}_SECRET`]: "secret" }];
    expect(read({})[provider]).toBeUndefined();
    expect(read({ ...id, ...secret })[provider]).toMatchObject({ id: "id", secret: "secret" });
    expect(() => read(id)).toThrow(
      new RegExp(`^AUTH_${name}_SECRET: expected AUTH_${name}_ID and AUTH_${name}_SECRET`),
    );
    expect(() => read(secret)).toThrow(new RegExp(`AUTH_${name}_SECRET: expected`));
  });
});

describe.each(["AUTH_GOOGLE_ISSUER", "AUTH_GITHUB_BASE_URL", "RESEND_BASE_URL", "STRIPE_BASE_URL"])("%s", (name) => {
  test.each([
    "http://accounts.example.com",
    "http://192.168.1.2:8080",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://127.0.0.1@example.com",
    "http://[::ffff:192.0.2.1]",
    "ftp://localhost",
    "accounts.example.com",
  ])("is refused as %s: a credential would cross the network in the clear", (address) => {
    expect(() => read({ [name]: address })).toThrow(new RegExp(`^${name}: expected an https? `));
  });

  test.each(["https://accounts.example.com", "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])(
    "may be %s",
    (address) => {
      expect(() => read({ [name]: address })).not.toThrow();
    },
  );
});

test("AUTH_SECRET must have at least 32 characters, and the error message does not show it", () => {
  expect(read({ AUTH_SECRET: "s".repeat(32) }).authSecret).toBe("s".repeat(32));
  expect(() => read({ AUTH_SECRET: "too-short" })).toThrow(/^AUTH_SECRET: (?!.*too-short)/);
});
