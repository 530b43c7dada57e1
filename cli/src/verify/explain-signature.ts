import { createHmac, timingSafeEqual } from "node:crypto";
import type { BodyVariant } from "./body-variants.ts";
import type { GivenSignature, Scheme } from "./given-signatures.ts";
import { type KeyForm, type KnownSecret, keyOf } from "./known-secrets.ts";

/** What was signed before the body, and how that differs from what the headers say. */
export type SignedHead = {
  change: "none" | "id" | "time" | "no_id" | "body_alone";
  id: string | null;
  timestamp: string | null;
};

/** How a signature can be made: which secrets as which keys, over which head and body. */
export type Explanation = {
  /** At least one: a header may have several signatures, and a secret several names. */
  secrets: readonly KnownSecret[];
  form: KeyForm;
  head: SignedHead;
  body: BodyVariant;
  differences: number;
};

/**
 * Finds how a signature was made; null when it was made in none of the known ways. Those with fewer differences from the
 * right way come first, so that what is found is the simplest explanation.
 */
export function explainSignature(
  given: GivenSignature,
  secrets: readonly KnownSecret[],
  bodies: readonly BodyVariant[],
  other: Pick<GivenSignature, "id" | "timestamp">,
): Explanation | null {
  const keys = FORMS[given.scheme].flatMap((form, cost) =>
    secrets.flatMap((secret) => {
      const key = keyOf(secret.value, form);
      return key === null ? [] : [{ secret, form, key, cost: Math.min(cost, 1) }];
    }),
  );
  const heads = headsOf(given, other).map((head) => ({ head, cost: head.change === "none" ? 0 : 1 }));
  for (let differences = 0; differences <= DIFFERENCES_MAX; differences++) {
    for (const { head, cost: headCost } of heads) {
      for (const { form, key, cost: keyCost } of keys) {
        const left = differences - headCost - keyCost;
        if (left !== 0 && left !== 1) continue;
        for (const body of bodies) {
          if ((body.change === "none") !== (left === 0)) continue;
          if (!fits(given.macs, key, headText(head), body.bytes)) continue;
          const same = keys.filter((one) => one.form === form && fits(given.macs, one.key, headText(head), body.bytes));
          return { secrets: same.map(({ secret }) => secret), form, head, body, differences };
        }
      }
    }
  }
  return null;
}

/** With more, a body of 256 KiB would take many seconds. */
const DIFFERENCES_MAX = 2;

/** The forms of a key, the right one first. */
const FORMS = {
  "webhook-signature": ["bytes", "text", "text_without_prefix"],
  "X-Service-Signature": ["text", "bytes", "text_without_prefix"],
} as const satisfies Record<Scheme, readonly KeyForm[]>;

function headsOf({ id, timestamp }: GivenSignature, other: Pick<GivenSignature, "id" | "timestamp">): SignedHead[] {
  const heads: SignedHead[] = [{ change: "none", id, timestamp }];
  const otherTime = other.timestamp !== timestamp ? other.timestamp : null;
  if (otherTime !== null) heads.push({ change: "time", id, timestamp: otherTime });
  if (id !== null) {
    if (other.id !== null && other.id !== id) heads.push({ change: "id", id: other.id, timestamp });
    heads.push({ change: "no_id", id: null, timestamp });
  }
  heads.push({ change: "body_alone", id: null, timestamp: null });
  return heads;
}

const headText = ({ id, timestamp }: SignedHead) =>
  [id, timestamp].map((part) => (part === null ? "" : `${part}.`)).join("");

function fits(macs: readonly Buffer[], key: Buffer, head: string, body: Buffer): boolean {
  const mac = createHmac("sha256", key).update(head).update(body).digest();
  return macs.some((given) => given.length === mac.length && timingSafeEqual(given, mac));
}
