import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";

const read = (settings: Record<string, string>) =>
  readConfig({
    DATABASE_URL: "postgres://localhost/x",
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    ...settings,
  });
const ALL = { STRIPE_SECRET_KEY: "sk_canary", STRIPE_WEBHOOK_SECRET: "whsec_canary", STRIPE_PRICE_INDIE: "price_1" };

describe("the settings of Stripe", () => {
  test("are set all or none, and without them billing is not configured", () => {
    expect(read(ALL).stripe).toEqual({
      secretKey: "sk_canary",
      webhookSecret: "whsec_canary",
      price: "price_1",
      baseUrl: undefined,
    });
    expect(read({}).stripe).toBeUndefined();
  });

  test.each(Object.keys(ALL))("are refused without %s, with an error that names it and shows no secret", (missing) => {
    const settings = { ...ALL, [missing]: "" };
    expect(() => read(settings)).toThrow(new RegExp(`^${missing}: .*needed together; it is not set$`));
    expect(() => read({ ...settings, STRIPE_BASE_URL: "nowhere" })).toThrow(/^(?![\s\S]*canary)[\s\S]*STRIPE_BASE_URL/);
  });
});
