import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN (?:X509 )?CERTIFICATE-----.*?-----END (?:X509 )?CERTIFICATE-----/gs;
const BEGIN = /-----BEGIN (?:X509 )?CERTIFICATE-----/g;
/** The first byte of DER: a SEQUENCE (X.690, 8.9). */
const DER = 0x30;

/**
 * The certificates in a file of authorities, in PEM (RFC 7468), one after another and without what stands between them.
 * Throws an Error that says what the file is instead, and nothing of its content: Node.js takes any file without a word.
 */
export function readAuthorities(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0 || blocks.length < (text.match(BEGIN) ?? []).length) throw new Error(whatIs(bytes, text));
  for (const [at, block] of blocks.entries()) {
    if (!isCertificate(block)) throw new Error(`its certificate ${at + 1} is damaged`);
  }
  return `${blocks.join("\n")}\n`;
}

function whatIs(bytes: Buffer, text: string): string {
  if (text.trim() === "") return "it is empty";
  if (BEGIN.test(text)) return "its last certificate is cut off";
  if (/-----BEGIN TRUSTED CERTIFICATE-----/.test(text)) return `it is OpenSSL's own format: ${convert("x509")}`;
  if (/-----BEGIN (?:PKCS7|CMS)-----/.test(text)) return `it is PKCS #7: ${convert("pkcs7 -print_certs")}`;
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return "it has a private key and no certificate";
  if (bytes[0] !== DER) return "it has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----";
  return `it is DER, not PEM: ${convert(isCertificate(bytes) ? "x509 -inform der" : "pkcs7 -inform der -print_certs")}`;
}

const convert = (how: string) => `convert it with openssl ${how} -in FILE -out FILE.pem`;

function isCertificate(one: string | Buffer): boolean {
  try {
    return new X509Certificate(one).raw.length > 0;
  } catch {
    return false;
  }
}
