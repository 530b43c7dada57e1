import type { Environment } from "./environment.ts";
import type { ProviderName } from "./providers.ts";

/** What the security log of an account records. `credential_refused` is one event for a credential and hour. */
export const SECURITY_EVENT_KINDS = [
  "signed_in",
  "credential_refused",
  "api_key_created",
  "api_key_rotated",
  "api_key_revoked",
  "signing_secrets_rotated",
  "test_deliveries_opened",
  "test_deliveries_closed",
  "request_redirected",
  "identity_linked",
  "identity_removed",
  "session_ended",
  "account_deactivated",
  "account_reactivated",
  "account_deleted",
] as const;

export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

/** Who did it: the owner with one of these credentials, a person who was signing in, or somebody who runs the service. */
export const SECURITY_ACTORS = ["session", "api_key", "sign_in", "administrator", "operator"] as const;

export type SecurityActor = (typeof SECURITY_ACTORS)[number];

/** Why a credential that was valid once is refused. */
export const REFUSAL_REASONS = ["revoked", "expired", "deactivated"] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Further details of an event. Never a secret, a token, or the name of another person. */
export type SecurityEventDetails = {
  /** The provider of a sign-in or identity. A sign-in without one was by a mailed link. */
  provider?: ProviderName;
  /** The key's name when it happened; the key itself may be gone. */
  keyName?: string;
  env?: Environment;
  reason?: RefusalReason;
  /** The clone (UUID) that was sent to another target than its original. */
  scheduleId?: string;
};

/** Where a call came from: its network (`maskedNetwork`), not its address, and its `User-Agent`. */
export type CallSource = { network: string | null; userAgent: string | null };

/** Days that events are kept. */
export const SECURITY_EVENT_DAYS = 90;

/** The most events of one kind that an account keeps: a further one displaces the oldest of its kind. */
export const SECURITY_EVENTS_PER_KIND_MAX = 300;

/** Events that the owner is mailed about, even with notices turned off. */
export const MAILED_KINDS = ["api_key_created", "api_key_rotated", "identity_linked"] as const;

export type MailedKind = (typeof MAILED_KINDS)[number];

export function isMailed(kind: SecurityEventKind): kind is MailedKind {
  return MAILED_KINDS.some((mailed) => mailed === kind);
}

/** An event as listed in the mail. Epoch ms. */
export type ToldEvent = { kind: MailedKind; atMs: number; details: SecurityEventDetails } & CallSource;

/** The content of a security notice: the events since the last one, and how many more than are listed. */
export type SecurityNotice = { events: ToldEvent[]; others: number };

/** The most events that one notice lists. */
export const TOLD_EVENTS_MAX = 10;

/** The shortest time between two security notices to an account. Events in between share the next one. */
export const SECURITY_NOTICE_INTERVAL_MS = 15 * 60_000;
