import { describe, expect, it } from "vitest";
import { checkSignature } from "#components/signing/check-signature.ts";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";

const NOW_S = 1_774_621_923;
const BODY = '{"city": "Zürich"}';
const current = generateSigningSecret();
const next = generateSigningSecret();
const pair = [
  { name: "current", secret: current },
  { name: "next", secret: next },
];

function signed(...secrets: string[]) {
  return signRequest({
    keys: secrets.map(loadSigningSecret),
    scheduleId: "sch_1",
    timestampSeconds: NOW_S - 7,
    body: Buffer.from(BODY),
  });
}

function lines(...names: string[]) {
  const headers: Record<string, string> = signed(next);
  return names.map((name) => `${name}: ${headers[name]}`).join("\n");
}

const STANDARD = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const check = (headers: string, body = BODY) => checkSignature(headers, body, pair, NOW_S * 1_000);

describe("the signature check of the page", () => {
  it("names the secret that signed, and the age, for both kinds of signature", async () => {
    const fits = { outcome: "signed", secretName: "next", ageS: 7 };
    expect(await check(lines(...STANDARD))).toEqual(fits);
    expect(await check(lines("X-Service-Signature"))).toEqual(fits);
    expect(
      await check(
        lines(...STANDARD)
          .toUpperCase()
          .replace(/: .*/g, ""),
      ),
    ).toMatchObject({ outcome: "incomplete" });
  });

  it("finds one of several signatures", async () => {
    const headers = signed(generateSigningSecret(), current);
    const text = STANDARD.map((name) => `${name}: ${headers[name as keyof typeof headers]}`).join("\r\n");
    expect(await check(text)).toMatchObject({ outcome: "signed", secretName: "current" });
  });

  it("says that the signature does not match a reformatted body", async () => {
    expect(await check(lines(...STANDARD), '{"city":"Zürich"}')).toEqual({ outcome: "unsigned" });
  });

  it("names a missing header, and text that is not a secret", async () => {
    expect(await check("webhook-id: sch_1")).toEqual({
      outcome: "incomplete",
      problem:
        "Missing: webhook-timestamp, webhook-signature. Write each header as “name: value”, on a line of its own.",
    });
    const typed = [{ name: "typed", secret: "whsec_%" }];
    expect(await checkSignature(lines(...STANDARD), BODY, typed, NOW_S * 1_000)).toEqual({
      outcome: "incomplete",
      problem: "The typed secret is not whsec_ and base64.",
    });
  });
});
