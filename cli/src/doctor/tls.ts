import { connect, type TLSSocket } from "node:tls";
import { type Check, type Finding, failure, ok, skipped, warning } from "./check.ts";
import { networkCause } from "./network-cause.ts";
import { findProxy } from "./proxy.ts";

/** The certificate is trusted, for this name, and not about to expire. */
export const tls: Check = {
  name: "TLS",
  needs: ["address"],
  async run({ url, variables }) {
    const { protocol, hostname, port } = url as URL;
    if (protocol === "http:") return isLoopback(hostname) ? ok("not used, on this machine") : NO_TLS;
    if (findProxy(url as URL, variables)?.isUsed) return skipped("the proxy makes the connection");
    const host = hostname.replace(/^\[|\]$/g, "");
    try {
      return await look(connect({ host, port: Number(port || 443), servername: host }));
    } catch (error) {
      return networkCause(error, `${hostname}:${port || 443}`);
    }
  },
};

const isLoopback = (hostname: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

const NO_TLS = warning(
  "the address is plain http: whoever is on the way reads the key",
  "Use https: put a reverse proxy with a certificate in front.",
);

const EXPIRES_SOON_DAYS = 14;
const TLS_MS_MAX = 10_000;

async function look(socket: TLSSocket): Promise<Finding> {
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(TLS_MS_MAX, () => reject(Object.assign(new Error(), { code: "ETIMEDOUT" })));
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000);
    const found = `${socket.getProtocol()}, certificate valid for ${daysLeft} days more`;
    if (daysLeft < 0) return failure(found, "Renew the certificate.");
    return daysLeft < EXPIRES_SOON_DAYS ? warning(found, "Renew the certificate.") : ok(found);
  } finally {
    socket.destroy();
  }
}
