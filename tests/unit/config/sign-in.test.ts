import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";

const read = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: "postgres://localhost/x",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...settings,
  });

describe("SIGNUP", () => {
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

test("AUTH_SECRET must have at least 32 characters, and the error message does not show it", () => {
  expect(read({ AUTH_SECRET: "s".repeat(32) }).authSecret).toBe("s".repeat(32));
  expect(() => read({ AUTH_SECRET: "too-short" })).toThrow(/^AUTH_SECRET: (?!.*too-short)/);
});
