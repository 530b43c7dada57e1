import { callerAddress } from "#domain/caller-address.ts";
import { SOCKET_ADDRESS_HEADER } from "../edge/socket-address.ts";
import { getServices } from "../services.ts";

/** The IP address that a request came from, behind trusted proxies; null if unknown. */
export function callerAddressOf(request: Pick<Request, "headers">): string | null {
  const socketAddress = request.headers.get(SOCKET_ADDRESS_HEADER) ?? "";
  return callerAddress(socketAddress, request.headers.get("x-forwarded-for"), getServices().config.trustedProxies);
}
