import { z } from "zod";
import { PROVIDERS } from "#domain/providers.ts";
import { REFUSAL_REASONS, SECURITY_ACTORS, SECURITY_EVENT_KINDS } from "#domain/security-events.ts";
import { endpoint } from "./endpoint.ts";
import { IDENTITIES_EXAMPLE, SECURITY_EVENT_EXAMPLE } from "./examples.ts";
import { Env, EventId, IdentityId, InstantText, KeyId, ScheduleId, SessionId } from "./fields.ts";
import { EventListInput } from "./inputs/event-list-input.ts";
import { IdentitiesInput } from "./inputs/identities-input.ts";
import { PAGE_FIELDS, PAGE_HEADERS } from "./schedules.ts";

const Provider = z.enum(PROVIDERS);

const EventAnswer = z
  .strictObject({
    id: EventId.describe("The event."),
    kind: z
      .enum(SECURITY_EVENT_KINDS)
      .describe("What happened. `credential_refused` is one event for a credential and hour."),
    at: InstantText.describe("When it happened; of refusals, the first of the hour."),
    lastAt: InstantText.describe("When it happened last; differs from `at` for refusals only."),
    count: z.int().min(1).describe("How often; of `session_ended`, how many sessions."),
    by: z
      .strictObject({
        kind: z
          .enum(SECURITY_ACTORS)
          .describe(
            "A session or API key of the account, a sign-in, an administrator, or the operator at the command line.",
          ),
        id: z.union([SessionId, KeyId]).nullable().describe("The session or key."),
      })
      .nullable()
      .describe("Who did it; null for refusals."),
    apiKey: z
      .strictObject({
        id: KeyId.describe("The key; of a rotated one, its replacement."),
        name: z.string().describe("Its name at that time."),
        env: Env.describe("Its environment."),
      })
      .nullable()
      .describe("The API key that it is about."),
    scheduleId: ScheduleId.nullable().describe("The clone that was sent to another URL than its original."),
    sessionId: SessionId.nullable().describe("The session that it is about."),
    env: Env.nullable().describe("The environment whose signing secrets were rotated."),
    provider: Provider.nullable().describe(
      "Of identities and of sign-ins; a sign-in without one was by a mailed link.",
    ),
    reason: z.enum(REFUSAL_REASONS).nullable().describe("Why a credential was refused; `deactivated` is the account."),
    network: z
      .string()
      .nullable()
      .describe("Where it came from: the /24 of an IPv4 address or the /48 of an IPv6 address. Of refusals, the last."),
    userAgent: z.string().nullable().describe("What the browser or program called itself."),
  })
  .meta({ id: "SecurityEvent", description: "An event that concerns access to the account." });

const IdentitiesAnswer = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          id: IdentityId.describe("Names the identity, in paths too."),
          provider: Provider.describe("Who vouches for the person."),
          createdAt: InstantText.describe("When it was linked."),
        }),
      )
      .describe("The identities, in the order in which they were linked."),
  })
  .meta({ id: "Identities", description: "The provider identities that can sign in to an account." });

const tag = "Account";

export const listEvents = endpoint({
  operationId: "listSecurityEvents",
  method: "GET",
  path: "/v1/me/events",
  tag,
  summary: "The account's security log, newest first.",
  description:
    "Sign-ins, refused credentials, and what was done to keys, signing secrets, identities, sessions and the account, of the last 90 days; at most 300 events of each kind.",
  auth: "session",
  query: EventListInput,
  responses: {
    200: {
      description: "One page.",
      schema: z
        .strictObject({ items: z.array(EventAnswer).describe("The events of this page."), ...PAGE_FIELDS })
        .meta({ id: "SecurityEventPage", description: "One page of the security log." }),
      example: { items: [SECURITY_EVENT_EXAMPLE], total: 1, limit: 20, offset: 0, next_cursor: null },
      headers: PAGE_HEADERS,
    },
  },
});

export const listIdentities = endpoint({
  operationId: "listIdentities",
  method: "GET",
  path: "/v1/me/identities",
  tag,
  summary: "The provider identities that can sign in to the account.",
  auth: "session",
  responses: {
    200: { description: "The identities, at most 100.", schema: IdentitiesAnswer, example: IDENTITIES_EXAMPLE },
  },
});

const STAYS =
  "Sessions stay. A new sign-in with the identity, and with the account's verified address, links it again; the owner is told by mail.";

export const removeIdentities = endpoint({
  operationId: "removeIdentities",
  method: "DELETE",
  path: "/v1/me/identities",
  tag,
  summary: "Remove every identity, or those of one provider.",
  description: `${STAYS} A mailed link always signs in.`,
  auth: "session",
  query: IdentitiesInput,
  responses: { 204: { description: "They are removed.", schema: null } },
});

export const removeIdentity = endpoint({
  operationId: "removeIdentity",
  method: "DELETE",
  path: "/v1/me/identities/{id}",
  tag,
  summary: "Remove one identity.",
  description: `${STAYS} A mailed link always signs in.`,
  auth: "session",
  responses: { 204: { description: "It is removed.", schema: null } },
  errors: ["NOT_FOUND"],
});
