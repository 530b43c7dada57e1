import { constants } from "node:crypto";
import tls from "node:tls";

/**
 * What a handshake with a target may ask of this process. A target chooses the modulus of a Diffie-Hellman exchange over a finite
 * field: one of 10,000 bits takes almost a second of the loop that sends, before its certificate is judged. So only elliptic
 * curves are offered. Nor may it begin a second handshake on an open connection, which TLS 1.2 lets it do without end.
 */
export function targetContext(ca: string | undefined): tls.SecureContext {
  const contextWith = (ecdhCurve: string) =>
    tls.createSecureContext({
      ...(ca !== undefined && { ca: [...tls.getCACertificates("default"), ca] }),
      ciphers: `${tls.DEFAULT_CIPHERS}:!kDHE`,
      ecdhCurve,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    });
  try {
    return contextWith(`X25519MLKEM768:${CURVES}`);
  } catch {
    // OpenSSL before 3.5 does not know the first one.
    return contextWith(CURVES);
  }
}

const CURVES = "X25519:P-256:P-384:P-521";
