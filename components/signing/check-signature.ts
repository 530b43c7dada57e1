import { foldAscii } from "#domain/ascii.ts";

/** A secret to try; the result refers to it by `name`. */
export type NamedSecret = { name: string; secret: string };

export type SignatureCheck =
  | { outcome: "signed"; secretName: string; ageS: number }
  | { outcome: "unsigned" }
  | { outcome: "incomplete"; problem: string };

/**
 * Checks a signature with WebCrypto. `headers` are lines `name: value`: the three of Standard Webhooks, or
 * `X-Service-Signature`. `body` are the exact bytes as UTF-8 text.
 * Sources: https://www.standardwebhooks.com, https://docs.stripe.com/webhooks#verify-manually
 */
export async function checkSignature(
  headers: string,
  body: string,
  secrets: readonly NamedSecret[],
  nowMs: number,
): Promise<SignatureCheck> {
  const signature = readHeaders(headers);
  if (typeof signature === "string") return { outcome: "incomplete", problem: signature };
  for (const { name, secret } of secrets) {
    const key = signature.keyOf(secret);
    if (key === null) return { outcome: "incomplete", problem: `The ${name} secret is not whsec_ and base64.` };
    const mac = signature.encode(await hmacSha256(key, `${signature.head}${body}`));
    if (!signature.given.includes(mac)) continue;
    return { outcome: "signed", secretName: name, ageS: Math.round(nowMs / 1_000 - signature.timestampS) };
  }
  return { outcome: "unsigned" };
}

type Signature = {
  /** The signed text before the body. */
  head: string;
  timestampS: number;
  given: readonly string[];
  keyOf: (secret: string) => Bytes | null;
  encode: (mac: Uint8Array) => string;
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the signature from the headers; returns a sentence when it is incomplete. */
function readHeaders(text: string): Signature | string {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) values.set(foldAscii(line.slice(0, at).trim()), line.slice(at + 1).trim());
  }
  const service = values.get("x-service-signature");
  const missing = ["webhook-id", "webhook-timestamp", "webhook-signature"].filter((name) => !values.get(name));
  if (missing.length === 0) return standardSignature(values);
  if (service !== undefined) return serviceSignature(service);
  return `Missing: ${missing.join(", ")}. Write each header as “name: value”, on a line of its own.`;
}

function standardSignature(values: ReadonlyMap<string, string>): Signature | string {
  const [id = "", timestamp = "", signatures = ""] = ["id", "timestamp", "signature"].map((name) =>
    values.get(`webhook-${name}`),
  );
  if (!/^\d+$/.test(timestamp)) return "webhook-timestamp is a whole number of seconds.";
  const given = signatures.split(" ").filter((one) => one.startsWith("v1,"));
  if (given.length === 0) return "webhook-signature begins with v1, and base64 follows.";
  return {
    head: `${id}.${timestamp}.`,
    timestampS: Number(timestamp),
    given: given.map((one) => one.slice("v1,".length)),
    keyOf: decodeSecret,
    encode: (mac) => btoa(String.fromCharCode(...mac)),
  };
}

function serviceSignature(value: string): Signature | string {
  const parts = value.split(",").map((part) => part.trim().split("="));
  const timestamp = parts.find(([name]) => name === "t")?.[1] ?? "";
  const given = parts.flatMap(([name, hex = ""]) => (name === "v1" ? [hex.toLowerCase()] : []));
  if (!/^\d+$/.test(timestamp) || given.length === 0) return "X-Service-Signature looks like t=1774621923,v1=….";
  return {
    head: `${timestamp}.`,
    timestampS: Number(timestamp),
    given,
    keyOf: (secret) => new TextEncoder().encode(secret),
    encode: (mac) => Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
}

function decodeSecret(secret: string): Bytes | null {
  try {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
    return bytes.length > 0 ? bytes : null;
  } catch {
    return null;
  }
}

async function hmacSha256(key: Bytes, content: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(content)));
}
