import { describe, expect, it, test } from "vitest";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";
import { StopwatchError, verifyStripeStyle } from "../../../sdk/src/index.ts";
import { STRIPE_VECTORS } from "./signature-vectors.ts";

const SECRET = generateSigningSecret();
const NOW_S = 1_767_225_600;
const OPTIONS = { secrets: [SECRET], now: NOW_S * 1_000 };
const BODY = '{"customer": "cus_81"}';

function headerOf(secrets = [SECRET]): string {
  const keys = secrets.map(loadSigningSecret);
  return signRequest({ keys, scheduleId: "sch_1", timestampSeconds: NOW_S, body: Buffer.from(BODY) })[
    "X-Service-Signature"
  ];
}

async function reasonOf(
  header: string | string[] | null | undefined,
  body: string = BODY,
): Promise<string | undefined> {
  const error = await verifyStripeStyle({ header, body }, OPTIONS).then(
    () => new Error("it was accepted"),
    (error: unknown) => error,
  );
  if (!StopwatchError.is(error, "INVALID_SIGNATURE")) throw error;
  return error.reason;
}

const REASONS: Record<string, string> = {
  "Timestamp outside the tolerance zone": "too_old",
  "No webhook payload was provided.": "body_used",
};

test.each(STRIPE_VECTORS)("verifyStripeStyle accepts and refuses as Stripe's library does: $name", async (vector) => {
  const verifying = verifyStripeStyle(
    { header: vector.header, body: vector.payload },
    { secrets: [vector.verify_with], now: new Date(vector.verify_at * 1_000) },
  );
  if (vector.expected === "accept") {
    expect(await verifying).toEqual({
      sentAt: new Date(vector.timestamp * 1_000),
      secretIndex: 0,
      bytes: new TextEncoder().encode(vector.payload),
    });
  } else {
    await expect(verifying).rejects.toMatchObject({
      code: "INVALID_SIGNATURE",
      reason: REASONS[vector.reason as string],
    });
  }
});

describe("X-Service-Signature", () => {
  it("of both sides of a rotation fits either secret", async () => {
    const former = generateSigningSecret();
    const header = headerOf([SECRET, former]);
    expect((await verifyStripeStyle({ header, body: BODY }, OPTIONS)).secretIndex).toBe(0);
    const options = { ...OPTIONS, secrets: [generateSigningSecret(), former] };
    expect((await verifyStripeStyle({ header, body: BODY }, options)).secretIndex).toBe(1);
  });

  it("may have its parts in any order, blanks after commas, hex in capitals and parts of other schemes", async () => {
    const [, hex = ""] = headerOf().split("v1=");
    for (const header of [`v1=${hex},t=${NOW_S}`, `t=${NOW_S}, v0=aa, v1=${hex.toUpperCase()}`, [headerOf()]]) {
      expect((await verifyStripeStyle({ header, body: BODY }, OPTIONS)).secretIndex).toBe(0);
    }
  });

  it.each([undefined, null, "", []])("that is absent is missing: %j", async (header) => {
    expect(await reasonOf(header)).toBe("missing_header");
  });

  it.each([`v1=${"a".repeat(64)}`, "t=,v1=aa", "t=soon,v1=aa", `t=${NOW_S},t=1,v1=aa`, [headerOf(), headerOf()]])(
    "without exactly one time is malformed: %j",
    async (header) => {
      expect(await reasonOf(header)).toBe("malformed_header");
    },
  );

  it.each([`t=${NOW_S}`, `t=${NOW_S},v1=`, `t=${NOW_S},v1=zz`, `t=${NOW_S},v1=${"a".repeat(64)}`])(
    "without a right signature fits no secret: %j",
    async (header) => {
      expect(await reasonOf(header)).toBe("no_match");
    },
  );

  it("does not fit another body", async () => {
    expect(await reasonOf(headerOf(), `${BODY} `)).toBe("no_match");
  });
});

it("verifyStripeStyle refuses a parsed body and a malformed secret", async () => {
  expect(await reasonOf(headerOf(), {} as never)).toBe("body_parsed");
  await expect(
    verifyStripeStyle({ header: headerOf(), body: BODY }, { secrets: ["secret"], now: OPTIONS.now }),
  ).rejects.toMatchObject({ code: "INVALID_ARGUMENT", reason: "malformed_secret" });
});
