import "reflect-metadata";
import * as x509 from "@peculiar/x509";

export type Certificates = { ca: string; cert: string; key: string };
export type Authority = Awaited<ReturnType<typeof createAuthority>>;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2_048,
  publicExponent: Uint8Array.of(1, 0, 1),
};
const DAY_MS = 86_400_000;

/** A throw-away authority, and a certificate of it for localhost and 127.0.0.1, all as PEM, valid for a day. */
export async function createCertificates(): Promise<Certificates> {
  const { ca, issue } = await createAuthority();
  return { ca, ...(await issue({ address: "127.0.0.1" })) };
}

/** A throw-away certificate authority: its certificate as PEM, and a function that issues certificates for TLS servers. */
export async function createAuthority() {
  x509.cryptoProvider.set(crypto);
  const authority = await createPair();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Throw-away CA",
    ...validity(1),
    keys: authority,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });

  return {
    ca: ca.toString("pem"),
    /** A certificate for `name`, and an address, that expires `daysLeft` from now, signed by its own key if `selfSigned`. */
    async issue({
      name = "localhost",
      address,
      daysLeft = 1,
      selfSigned = false,
      isRsa = false,
    }: {
      name?: string;
      address?: string;
      daysLeft?: number;
      selfSigned?: boolean;
      isRsa?: boolean;
    }) {
      const keys = await createPair(isRsa ? RSA : ALGORITHM);
      const names: x509.JsonGeneralNames = [{ type: "dns", value: name }];
      if (address) names.push({ type: "ip", value: address });
      const cert = await x509.X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: selfSigned ? `CN=${name}` : ca.subject,
        ...validity(daysLeft),
        publicKey: keys.publicKey,
        signingKey: selfSigned ? keys.privateKey : authority.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new x509.SubjectAlternativeNameExtension(names)],
      });
      const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
      return { cert: cert.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
    },
  };
}

const createPair = (algorithm: EcKeyGenParams | RsaHashedKeyGenParams = ALGORITHM) =>
  crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

function validity(daysLeft: number) {
  return {
    notBefore: new Date(Date.now() - 30 * DAY_MS),
    notAfter: new Date(Date.now() + daysLeft * DAY_MS),
  };
}
