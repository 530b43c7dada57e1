export type Environment = "live" | "test";

/** A signing secret to try. */
export type KnownSecret = {
  /** How messages call it, such as `STOPWATCH_SECRET`. Never the secret. */
  name: string;
  value: string;
  /** Whose requests it signs; null when nobody said. */
  env: Environment | null;
  /** What it is to its environment; null when nobody said. */
  role: "current" | "next" | "former" | null;
  /** Whether the receiver checks with it. */
  isReceivers: boolean;
};

/** The ways to make an HMAC key of a secret. `bytes` is right for `webhook-signature`, `text` for `X-Service-Signature`. */
export type KeyForm = "bytes" | "text" | "text_without_prefix";

/** The key that a secret gives in a form; null when it has none in it. */
export function keyOf(secret: string, form: KeyForm): Buffer | null {
  const encoded = secret.replace(/^whsec_/, "");
  if (form === "text") return Buffer.from(secret);
  if (form === "text_without_prefix") return encoded === secret ? null : Buffer.from(encoded);
  const bytes = Buffer.from(encoded, "base64");
  return bytes.length > 0 && bytes.toString("base64") === encoded ? bytes : null;
}

/** What is wrong with a secret as it is written; null when nothing is. `repaired` is the secret without it. */
export function secretProblem(value: string): { problem: string; repaired: string } | null {
  const bare = value
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .trim();
  const whole = bare.startsWith("whsec_") ? bare : `whsec_${bare}`;
  const isWhole = keyOf(bare, "bytes") !== null;
  if (value === whole && isWhole) return null;
  if (bare === "") return { problem: "is empty", repaired: bare };
  if (/^sw_(?:live|test)_/.test(bare)) return { problem: "is an API key, not a signing secret", repaired: bare };
  if (!isWhole) return { problem: "is not whsec_ and base64: a part of it is missing, or changed", repaired: bare };
  if (bare !== value) {
    const what = value.trim() === value ? "quotes" : "blanks or a line break";
    return { problem: `has ${what} around it`, repaired: whole };
  }
  return { problem: "has lost its whsec_", repaired: whole };
}
