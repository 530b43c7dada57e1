const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/**
 * The SHA-256 of a text in UTF-8, as hexadecimal digits, for what runs in browsers too, whose own takes a promise. Source:
 * FIPS 180-4, section 6.2.
 */
export function sha256(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const state = Int32Array.from(START);
  for (let at = 0; at < message.byteLength; at += BLOCK_BYTES) addBlock(state, message, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The bytes, a bit 1, zeros, and the number of bits, in whole blocks. */
function padded(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const all = new Uint8Array(blocks * BLOCK_BYTES);
  all.set(bytes);
  all[bytes.length] = 0x80;
  const view = new DataView(all.buffer);
  view.setBigUint64(all.length - LENGTH_BYTES, BigInt(bytes.length) * 8n);
  return view;
}

function addBlock(state: Int32Array, message: DataView, at: number): void {
  const words = new Int32Array(ROUNDS.length);
  const word = (n: number) => words[n] as number;
  for (let n = 0; n < ROUNDS.length; n += 1) {
    words[n] =
      n < 16 ? message.getInt32(at + 4 * n) : mixed1(word(n - 2)) + word(n - 7) + mixed0(word(n - 15)) + word(n - 16);
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (const [n, constant] of ROUNDS.entries()) {
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constant + word(n)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  for (const [n, sum] of [a, b, c, d, e, f, g, h].entries()) state[n] = (state[n] as number) + sum;
}

type Eight = [number, number, number, number, number, number, number, number];

const turned = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));
const mixed0 = (word: number) => turned(word, 7) ^ turned(word, 18) ^ (word >>> 3);
const mixed1 = (word: number) => turned(word, 17) ^ turned(word, 19) ^ (word >>> 10);

const PRIMES = [...primes(64)];
/** The first 32 bits of the fractional parts of the cube roots, and of the first eight square roots. */
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function* primes(count: number): Generator<number> {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) {
    if (found.some((prime) => n % prime === 0)) continue;
    found.push(n);
    yield n;
  }
}
