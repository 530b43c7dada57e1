/**
 * At most how long it takes to verify the signatures and names of a chain of certificates (DER), ms of one processor. Their keys
 * decide, since each may sign another certificate or the handshake. Infinity for a kind of key that is not listed. Throws a
 * RangeError for what is not DER.
 */
export function verificationMs(certificates: readonly Buffer[]): number {
  const parts = certificates.map(readCertificate);
  const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0);
  return (
    sum(({ keyMs }) => keyMs) + (sum(({ constraints }) => constraints) * sum(({ names }) => names)) / COMPARED_PER_MS
  );
}

/** What takes the time: the key, and the bytes of names and of name constraints (RFC 5280, 4.2.1.10), each of which is compared with each. */
type Part = { keyMs: number; names: number; constraints: number };

/** Products of the bytes of names and constraints: 3.8 million comparisons of the shortest took 57 ms. */
const COMPARED_PER_MS = 1_500_000;

/** The keys of public and private authorities, as measured with OpenSSL 3.5. `sect571r1` would take 6 ms. */
const KEY_MS = new Map([
  ["2b6570", 0.2], // Ed25519
  ["2b6571", 0.4], // Ed448
  ["608648016503040311", 0.2], // ML-DSA-44
  ["608648016503040312", 0.3], // ML-DSA-65
  ["608648016503040313", 0.4], // ML-DSA-87
]);
const CURVE_MS = new Map([
  ["2a8648ce3d030107", 0.2], // P-256
  ["2b8104000a", 0.6], // secp256k1
  ["2b81040022", 1.3], // P-384
  ["2b81040023", 2.6], // P-521
  ["2b2403030208010107", 0.6], // brainpoolP256r1
  ["2b240303020801010b", 1.1], // brainpoolP384r1
  ["2b240303020801010d", 1.8], // brainpoolP512r1
]);
const EC = "2a8648ce3d0201";
const RSA = new Set(["2a864886f70d010101", "2a864886f70d01010a"]);
const RSA_MS = 0.5;
/** The longest modulus and exponent of an RSA key, bytes. An exponent as long as the modulus takes a hundred times as long. */
const MODULUS_MAX = 8_192 / 8;
const EXPONENT_MAX = 4;
const [SUBJECT_ALT_NAME, NAME_CONSTRAINTS] = ["551d11", "551d1e"];

function readCertificate(der: Buffer): Part {
  const whole = element(der, 0);
  if (whole.end !== der.length) throw malformed();
  const fields = elementsOf(elementsOf(whole.content)[0]?.content);
  if (fields[0]?.tag === VERSION) fields.shift();
  const [, , , , subject, key] = fields;
  const part = { keyMs: keyMs(key), names: subject?.content.length ?? 0, constraints: 0 };
  for (const { content } of elementsOf(elementsOf(fields.find(({ tag }) => tag === EXTENSIONS)?.content)[0]?.content)) {
    const [id, ...rest] = elementsOf(content);
    const bytes = rest.at(-1)?.content.length ?? 0;
    if (hex(id) === SUBJECT_ALT_NAME) part.names += bytes;
    if (hex(id) === NAME_CONSTRAINTS) part.constraints += bytes;
  }
  return part;
}

/** Of a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
function keyMs(info: Element | undefined): number {
  const [algorithm, bits] = elementsOf(info?.content);
  const [id, parameters] = elementsOf(algorithm?.content);
  const kind = hex(id);
  if (kind === EC) return CURVE_MS.get(hex(parameters)) ?? Number.POSITIVE_INFINITY;
  if (!RSA.has(kind)) return KEY_MS.get(kind) ?? Number.POSITIVE_INFINITY;
  const [key] = elementsOf(bits?.content.subarray(1));
  const [modulus = MODULUS_MAX + 1, exponent = EXPONENT_MAX + 1] = elementsOf(key?.content).map(bytesOf);
  return modulus <= MODULUS_MAX && exponent <= EXPONENT_MAX ? RSA_MS : Number.POSITIVE_INFINITY;
}

type Element = { tag: number; content: Buffer; end: number };

const [VERSION, EXTENSIONS] = [0xa0, 0xa3];
const malformed = () => new RangeError("this is not DER");
const hex = (element: Element | undefined) => element?.content.toString("hex") ?? "";
/** How many bytes an INTEGER has, without the zero that makes it positive. */
const bytesOf = ({ content }: Element) => content.length - (content[0] === 0 ? 1 : 0);

function elementsOf(der: Buffer = Buffer.alloc(0)): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < der.length; at = elements.at(-1)?.end ?? 0) elements.push(element(der, at));
  return elements;
}

/** The element that begins at `at`: tag, length and content (X.690, 8.1). */
function element(der: Buffer, at: number): Element {
  const [tag, first] = [der.readUInt8(at), der.readUInt8(at + 1)];
  const more = first & 0x80 ? first & 0x7f : 0;
  if (more > 4 || first === 0x80) throw malformed();
  const from = at + 2 + more;
  const end = from + (more > 0 ? der.readUIntBE(at + 2, more) : first);
  if (end > der.length) throw malformed();
  return { tag, content: der.subarray(from, end), end };
}
