import "reflect-metadata";
import * as x509 from "@peculiar/x509";

export type Certificates = { ca: string; cert: string; key: string };

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;

/**
 * Creates a temporary certificate authority and a certificate for localhost and 127.0.0.1, all as PEM, valid for two
 * days.
 */
export async function createCertificates(): Promise<Certificates> {
  x509.cryptoProvider.set(crypto);
  const generate = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const [caKeys, keys] = await Promise.all([generate(), generate()]);
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Stopwatch throw-away CA",
    ...validity,
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    subject: "CN=localhost",
    issuer: ca.subject,
    ...validity,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
      ]),
    ],
  });
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { ca: ca.toString("pem"), cert: leaf.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}
