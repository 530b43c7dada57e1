import type { Config } from "#config.ts";
import { readAddress } from "#domain/address-policy.ts";
import { isLoopbackHost } from "#domain/confidential-url.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";

export const proxies: Check = {
  name: "proxies",
  needs: ["settings"],
  async run({ config }) {
    const { trustedProxies, clientAddressHeader = null, baseUrl, host } = config as Config;
    return judgeProxies({ trustedProxies, header: clientAddressHeader, baseUrl, host });
  },
};

type Facts = { trustedProxies: Config["trustedProxies"]; header: string | null; baseUrl: string; host: string };

export function judgeProxies({ trustedProxies, header, baseUrl, host }: Facts): Finding {
  const shown = trustedProxies.map(([base, bits]) => `${base}/${bits}`).join(", ");
  if (trustedProxies.some(([, bits]) => bits === 0))
    return failure(
      `TRUSTED_PROXIES is ${shown}, which is everybody: each caller chooses the address by which it is limited`,
      "Name the addresses of your proxies alone.",
    );
  if (trustedProxies.length === 0) return judgeNone(header, baseUrl);
  if (isLoopbackHost(host) && !trustedProxies.some(hasLoopback))
    return warning(
      `the web part listens on ${host}, where only this machine can be a proxy, and TRUSTED_PROXIES is ${shown}`,
      "Add 127.0.0.1 (or ::1), or set HOST to the address on which the proxies reach it.",
    );
  return ok(`${shown} may name a caller${header === null ? ", by X-Forwarded-For" : `, by ${header}`}`);
}

function judgeNone(header: string | null, baseUrl: string): Finding {
  if (header !== null)
    return warning(
      `CLIENT_ADDRESS_HEADER is ${header}, and TRUSTED_PROXIES is empty: the header counts only where a platform calls the handlers itself, as Vercel does`,
      "Elsewhere name the proxy in TRUSTED_PROXIES.",
    );
  if (baseUrl.startsWith("https:"))
    return warning(
      "BASE_URL is https, so there is a proxy, and TRUSTED_PROXIES does not name it: all callers share its address, and its limits",
      "Set TRUSTED_PROXIES to the proxy's address.",
    );
  return ok("none: a caller's address is that of its connection");
}

function hasLoopback([base, bits]: Config["trustedProxies"][number]): boolean {
  return ["127.0.0.1", "::1"].some((text) => {
    const address = readAddress(text);
    return address !== null && address.kind() === base.kind() && address.match(base, bits);
  });
}
