import type { Environment } from "#domain/environment.ts";
import { PROVIDER_NAMES, type ProviderName } from "#domain/providers.ts";
import type { RefusalReason, SecurityActor, SecurityEventKind } from "#domain/security-events.ts";
import { formatCount } from "../format/number.ts";

/** An event of the security log. */
export type ShownEvent = {
  id: string;
  kind: SecurityEventKind;
  at: string;
  lastAt: string;
  count: number;
  by: { kind: SecurityActor } | null;
  apiKey: { name: string; env: Environment } | null;
  env: Environment | null;
  scheduleId: string | null;
  provider: ProviderName | null;
  reason: RefusalReason | null;
  network: string | null;
  userAgent: string | null;
};

/** The event in one line. */
export function eventInWords(event: ShownEvent): string {
  const text = WORDS[event.kind](event);
  const by = event.by === null ? undefined : BY[event.by.kind];
  return by === undefined ? text : `${text}, ${by}`;
}

const WORDS: Record<SecurityEventKind, (event: ShownEvent) => string> = {
  signed_in: ({ provider, by }) =>
    provider !== null
      ? `Signed in with ${PROVIDER_NAMES[provider]}`
      : by?.kind === "operator"
        ? "Session started"
        : "Signed in with a mailed link",
  credential_refused: (event) =>
    `Refused ${event.count === 1 ? "once" : `${formatCount(event.count)} times`}: ${event.apiKey ? nameOf(event) : "a session"}${
      event.reason === null ? "" : `, ${REASONS[event.reason]}`
    }`,
  api_key_created: (event) => `Created ${nameOf(event)}`,
  api_key_rotated: (event) => `Rotated ${nameOf(event)}`,
  api_key_revoked: (event) => `Revoked ${nameOf(event)}`,
  signing_secrets_rotated: ({ env }) => `Rotated the ${env} signing secrets`,
  test_deliveries_opened: () => "Let test keys receive all test deliveries, for 7 days",
  test_deliveries_closed: () => "Stopped test keys from receiving all test deliveries",
  request_redirected: ({ scheduleId }) =>
    `Cloned a stored request to another URL${scheduleId ? ` (${scheduleId})` : ""}`,
  identity_linked: ({ provider }) => `Linked ${providerOf(provider)}`,
  identity_removed: ({ provider }) => `Removed ${providerOf(provider)}`,
  session_ended: ({ count }) => (count === 1 ? "Ended a session" : `Ended ${formatCount(count)} sessions`),
  account_deactivated: () => "Deactivated the account",
  account_reactivated: () => "Reactivated the account",
  account_deleted: () => "Deleted the account",
};

// A session acted, unless the actor is one of these.
const BY: Partial<Record<SecurityActor, string>> = {
  api_key: "with an API key",
  administrator: "by an administrator",
  operator: "by the operator of this server",
};

const REASONS: Record<RefusalReason, string> = {
  revoked: "which is revoked",
  expired: "which has expired",
  deactivated: "while the account was deactivated",
};

const nameOf = ({ apiKey }: ShownEvent) => (apiKey ? `the ${apiKey.env} key “${apiKey.name}”` : "an API key");
const providerOf = (provider: ProviderName | null) => (provider ? PROVIDER_NAMES[provider] : "an identity");
