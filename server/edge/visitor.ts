import type { IncomingMessage } from "node:http";
import { parseApiKey } from "#domain/api-key.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import { bearerToken } from "../auth/bearer-token.ts";
import { isApiTarget } from "../http/normalise-request.ts";
import { acceptedParty, credentialsOfCall, credentialsOfPage } from "../rate-limit/accepted-credentials.ts";
import { type AddressSettings, callerOfSocket } from "./caller-of-socket.ts";

/** The sender of a request, as known without a look-up in the database. */
export type Visitor = {
  /** Whether this process has accepted the credential of the request before. */
  isAccepted: boolean;
  /**
   * The party in `Turns`: an account, by any credential of it that was accepted, however it is spelled; all other requests of a
   * network are one party.
   */
  party: string;
  /**
   * The key of the budget. In one network, requests with a well-formed credential share one budget and requests without
   * share another, so that a flood of the latter does not lock out keys that this process has not seen yet.
   */
  budget: string;
};

/** Reads who sends a request, by its credential and its network: an IPv4 address or the /64 of an IPv6 address. */
export function readVisitor(
  request: Pick<IncomingMessage, "url" | "headers"> & { socket: { remoteAddress?: string } },
  settings: AddressSettings,
): Visitor {
  const { url = "", headers } = request;
  const cookie = headers.cookie ?? null;
  // A proxy in front may ask for a password of its own, which browsers then send with every page.
  const authorization = isApiTarget(url) ? (headers.authorization ?? null) : null;
  const accepted = acceptedParty(credentialsOfCall(authorization, cookie));
  if (accepted !== undefined) return { isAccepted: true, party: accepted, budget: accepted };
  const address = callerOfSocket(request, settings);
  const party = `network ${address === null ? "unknown" : callerNetwork(address)}`;
  return {
    isAccepted: false,
    party,
    budget: isWellFormed(authorization, cookie) ? `${party} with a credential` : party,
  };
}

function isWellFormed(authorization: string | null, cookie: string | null): boolean {
  if (authorization === null) return credentialsOfPage(cookie).length > 0;
  return parseApiKey(bearerToken(authorization) ?? "") !== null;
}
