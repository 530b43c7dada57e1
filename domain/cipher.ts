import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { NamedError } from "./named-error.ts";
import { pooledRandomBytes } from "./random-pool.ts";

/** Encryption keys by id. `writer` is the id of the key that encrypts; every key decrypts. */
export type KeyRing = { writer: string; keys: ReadonlyMap<string, KeyObject> };

/** Decryption failed: the key is not in the ring, or the value is corrupted or has other associated data. */
export class DecryptionError extends NamedError {
  override readonly name = "DecryptionError";
  readonly reason: "unknown-key" | "corrupted";

  constructor(reason: "unknown-key" | "corrupted", message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Encrypts with the writer key, AES-256-GCM with a random nonce. `aad` is not stored; `open` needs the same value.
 * Result: format (1 byte), length of the key id (1 byte), key id, nonce (12 bytes), ciphertext, tag (16 bytes).
 */
export function seal(ring: KeyRing, plaintext: Buffer, aad: string): Buffer {
  const key = ring.keys.get(ring.writer);
  if (key === undefined) throw new Error("the writer key is not in the key ring");
  const nonce = pooledRandomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(aad));
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  const id = Buffer.from(ring.writer);
  return Buffer.concat([Buffer.of(FORMAT, id.length), id, nonce, ciphertext, cipher.getAuthTag()]);
}

/** Decrypts a value of `seal` with the same `aad`. Throws DecryptionError, whose `reason` tells an unknown key from corruption. */
export function open(ring: KeyRing, sealed: Buffer, aad: string): Buffer {
  const id = sealedKeyId(sealed);
  const key = ring.keys.get(id);
  if (key === undefined)
    throw new DecryptionError("unknown-key", `sealed with the key "${id}", which is not in the key ring`);
  const nonceAt = 2 + id.length;
  const textAt = nonceAt + NONCE_BYTES;
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(nonceAt, textAt), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(aad))
    .setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(textAt, tagAt));
  try {
    decipher.final();
  } catch {
    throw corrupted();
  }
  return plaintext;
}

/** The id of the key that a value was encrypted with. Throws DecryptionError when it is not a sealed value. */
export function sealedKeyId(sealed: Buffer): string {
  const length = sealed[1] ?? 0;
  const id = sealed.toString("latin1", 2, 2 + length);
  if (sealed[0] !== FORMAT || !KEY_ID.test(id) || sealed.length < 2 + length + NONCE_BYTES + TAG_BYTES)
    throw corrupted();
  return id;
}

/**
 * Parses a key ring `<id>:<base64 of 32 bytes>,…`; the first key is the writer. Ids have 1 to 32 characters of
 * A-Z a-z 0-9 _ -. Throws an Error that names the entry by its position and never quotes it, since it may contain a key.
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = new Map<string, KeyObject>();
  for (const [index, entry] of text.split(",").entries()) {
    const wrong = (problem: string) =>
      new Error(`entry ${index + 1} ${problem}; expected <id>:<base64 of 32 bytes>,… and the first one writes`);
    const [id = "", encoded, ...rest] = entry.trim().split(":");
    if (encoded === undefined || rest.length > 0) throw wrong("is not one id and one key with a colon between");
    if (!KEY_ID.test(id)) throw wrong("has an id that is not 1 to 32 characters of A-Z a-z 0-9 _ -");
    const key = Buffer.from(encoded, "base64");
    if (key.toString("base64") !== encoded) throw wrong("has a key that is not base64 with its padding");
    if (key.length !== KEY_BYTES) throw wrong(`has a key of ${key.length} bytes`);
    if (keys.has(id)) throw wrong("has the id of an entry before it");
    keys.set(id, createSecretKey(key));
  }
  const [writer = ""] = keys.keys();
  return { writer, keys };
}

/** A new key: 32 random bytes in base64, as it follows `<id>:` in a key ring. */
export function generateEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

const FORMAT = 1;
const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

function corrupted(): DecryptionError {
  return new DecryptionError("corrupted", "the sealed value is corrupted, or was sealed for other associated data");
}
