import type { IncomingMessage } from "node:http";
import type { Config } from "#config.ts";
import { callerAddress } from "#domain/caller-address.ts";

export type AddressSettings = Pick<Config, "trustedProxies" | "clientAddressHeader">;

/** The IP address of the caller who sent a request over a socket of this process; null if unknown. */
export function callerOfSocket(
  { headers, socket }: Pick<IncomingMessage, "headers"> & { socket: { remoteAddress?: string } },
  { trustedProxies, clientAddressHeader }: AddressSettings,
): string | null {
  const sentAs = (name: string | undefined) => [headers[name ?? ""] ?? []].flat().join(",") || null;
  const named = sentAs(clientAddressHeader);
  return callerAddress(socket.remoteAddress ?? "", sentAs("x-forwarded-for"), trustedProxies, named);
}
