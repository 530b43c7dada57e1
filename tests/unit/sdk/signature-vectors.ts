import { readFileSync } from "node:fs";

type Vector = { name: string; timestamp: number; payload: string };

export type SignVector = Vector & { kind: "sign"; secret: string; msg_id: string; expected: string };

export type VerifyVector = Vector & {
  kind: "verify";
  secret: string;
  msg_id: string;
  signature_header: string;
  verify_at: number;
  expected: "accept" | "reject";
  reason?: string;
};

export type StripeVector = Vector & {
  kind: "stripe-format";
  header: string;
  verify_with: string;
  verify_at: number;
  expected: "accept" | "reject";
  reason?: string;
};

const { vectors } = JSON.parse(readFileSync(new URL("../../vectors/signatures.json", import.meta.url), "utf8")) as {
  vectors: (SignVector | VerifyVector | StripeVector)[];
};

export const SIGN_VECTORS = vectors.filter((vector) => vector.kind === "sign");
export const VERIFY_VECTORS = vectors.filter((vector) => vector.kind === "verify");
export const STRIPE_VECTORS = vectors.filter((vector) => vector.kind === "stripe-format");
