import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export type Pair = { publicKey: KeyObject; privateKey: KeyObject };

/** What a certificate has besides its key: names, and names that those below it may not have. */
type Extras = { names?: string[]; excluded?: string[] };
export type ChainExtras = { leaf?: Extras; each?: Extras };

/** A P-256 pair. */
export const cheapPair = (): Pair => generateKeyPairSync("ec", { namedCurve: "P-256" });

/**
 * Certificates (DER) as TLS servers send them: of `leaf`, then `count` of authorities that have the key `pair`, each of which
 * signed the one before. Nobody knows the last one.
 */
export function certificateChain(leaf: Pair, pair: Pair, count: number, extras: ChainExtras = {}) {
  const authorities = Array.from({ length: count }, (_, n) =>
    certificate({
      subject: `authority ${n}`,
      issuer: `authority ${n + 1}`,
      of: pair,
      by: pair,
      isAuthority: true,
      ...extras.each,
    }),
  );
  const named = { names: ["localhost"], ...extras.leaf };
  return [
    certificate({ subject: "localhost", issuer: "authority 0", of: leaf, by: pair, isAuthority: false, ...named }),
    ...authorities,
  ];
}

export const pemOf = (certificates: readonly Buffer[]): string =>
  certificates
    .map((it) => `-----BEGIN CERTIFICATE-----\n${it.toString("base64")}\n-----END CERTIFICATE-----\n`)
    .join("");

/** A PEM that a TLS server takes as its key. */
export const keyPemOf = ({ privateKey }: Pair): string => privateKey.export({ type: "pkcs8", format: "pem" }) as string;

type Certificate = Extras & { subject: string; issuer: string; of: Pair; by: Pair; isAuthority: boolean };

/** A certificate (RFC 5280, 4.1) that is signed with SHA-256. */
function certificate({ subject, issuer, of, by, isAuthority, names = [], excluded = [] }: Certificate): Buffer {
  const isRsa = by.privateKey.asymmetricKeyType === "rsa";
  const algorithm = sequence(
    object(isRsa ? "2a864886f70d01010b" : "2a8648ce3d040302"),
    isRsa ? der(0x05) : Buffer.alloc(0),
  );
  const dns = (name: string) => der(0x82, Buffer.from(name));
  const extensions = [
    extension("551d13", sequence(isAuthority ? der(0x01, Buffer.of(255)) : Buffer.alloc(0))),
    ...(names.length > 0 ? [extension("551d11", sequence(...names.map(dns)))] : []),
    ...(excluded.length > 0
      ? [extension("551d1e", sequence(der(0xa1, ...excluded.map((it) => sequence(dns(it))))))]
      : []),
  ];
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    nameOf(issuer),
    sequence(utcTime(-1), utcTime(1)),
    nameOf(subject),
    of.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(signed, algorithm, der(0x03, Buffer.of(0), sign("sha256", signed, by.privateKey)));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const object = (id: string) => der(0x06, Buffer.from(id, "hex"));
const extension = (id: string, value: Buffer) => sequence(object(id), der(0x04, value));
const nameOf = (common: string) => sequence(der(0x31, sequence(object("550403"), der(0x0c, Buffer.from(common)))));

function utcTime(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, "");
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}
