import { callerAddress } from "#domain/caller-address.ts";
import { getServices, perServices } from "../services.ts";
import { readSocketAddress } from "./socket-address.ts";

/**
 * The IP address that a request came from, behind trusted proxies; null if unknown. Where a platform calls the handlers
 * itself, it is the one in the header that `CLIENT_ADDRESS_HEADER` names.
 */
export function callerAddressOf({ headers }: Pick<Request, "headers">): string | null {
  const { trustedProxies, clientAddressHeader } = getServices().config;
  const socketAddress = readSocketAddress(headers);
  if (socketAddress === null && clientAddressHeader === undefined) warnOnce();
  const named = clientAddressHeader === undefined ? null : headers.get(clientAddressHeader);
  return callerAddress(socketAddress, headers.get("x-forwarded-for"), trustedProxies, named);
}

const warnOnce = perServices(({ log }) =>
  log.warn("callers' addresses are unknown, and no limit by address holds: set CLIENT_ADDRESS_HEADER"),
);
