import { z } from "zod";
import { EXISTING_ACCOUNT_STATUSES } from "#domain/account-status.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import { SUBSCRIPTION_STATUSES } from "#domain/subscription.ts";
import { endpoint } from "./endpoint.ts";
import { PROFILE_EXAMPLE, SESSIONS_EXAMPLE } from "./examples.ts";
import { AccountId, Env, InstantText, KeyId, SessionId } from "./fields.ts";
import { ProfileInput } from "./inputs/profile-input.ts";

const ProfileAnswer = z
  .strictObject({
    user: z
      .strictObject({
        id: AccountId.describe("The account; one person has one."),
        email: z.string().meta({ format: "email", description: "The address that the owner signs in with." }),
        name: z.string().nullable().describe("The owner's display name; null until it is known."),
        avatarUrl: z.string().nullable().describe("A picture of the owner; null when there is none."),
        status: z.enum(EXISTING_ACCOUNT_STATUSES).describe("Schedules of a deactivated account wait."),
        emailVerified: z.boolean().describe("Whether the owner has verified the address."),
        notices: z.boolean().describe("Whether the owner gets e-mail notices about dead schedules and the quota."),
        createdAt: InstantText.describe("When the account was created."),
      })
      .describe("Whose credential it is."),
    authSource: z.enum(["session", "apiKey"]).describe("The kind of credential that the call came with."),
    apiKey: z
      .strictObject({ id: KeyId.describe("The key."), env: Env.describe("The environment that the key belongs to.") })
      .nullable()
      .describe("The key that the call came with; null with a session."),
    subscription: z
      .strictObject({
        plan: z.enum(PLAN_NAMES).describe("The plan, which sets quota and limits."),
        status: z.enum(SUBSCRIPTION_STATUSES).describe("The status of the subscription."),
        currentPeriodEnd: InstantText.nullable().describe(
          "When an active subscription renews, a canceled one ends or ended, or a past_due one loses the plan; null without a subscription.",
        ),
        manageable: z.boolean().describe("Whether there is a billing portal for the account."),
      })
      .describe("What the account pays for."),
    isAdmin: z.boolean().describe("Whether this is the session of an operator of the service."),
  })
  .meta({ id: "Profile", description: "Who the credential belongs to." });

const SessionsAnswer = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          id: SessionId.describe("The session."),
          userAgent: z.string().nullable().describe("The browser that started it; null when it did not say."),
          createdAt: InstantText.describe("When it was started by a sign-in."),
          lastUsedAt: InstantText.describe("When it was last used, to the day."),
          expiresAt: InstantText.describe(
            "When it ends unless it is used before. Use moves it on by up to seven days, until 30 days after `createdAt`.",
          ),
          current: z.boolean().describe("Whether it is the session of this request."),
        }),
      )
      .describe("The sessions, most recently used first."),
  })
  .meta({ id: "Sessions", description: "The sessions of an account." });

const tag = "Account";

export const getProfile = endpoint({
  operationId: "getProfile",
  method: "GET",
  path: "/v1/me",
  tag,
  summary: "Who the credential belongs to, and on which plan.",
  auth: "any",
  responses: { 200: { description: "The profile.", schema: ProfileAnswer, example: PROFILE_EXAMPLE } },
});

export const updateProfile = endpoint({
  operationId: "updateProfile",
  method: "PATCH",
  path: "/v1/me",
  tag,
  summary: "Change the display name, or whether e-mail notices are sent.",
  auth: "session",
  body: ProfileInput,
  bodyExample: { name: "Ada Lovelace" },
  responses: { 200: { description: "The profile as it is now.", schema: ProfileAnswer, example: PROFILE_EXAMPLE } },
});

export const deleteAccount = endpoint({
  operationId: "deleteAccount",
  method: "DELETE",
  path: "/v1/me",
  tag,
  summary: "Delete the account.",
  description:
    "Needs a session that was started within the last day: FORBIDDEN otherwise. Its credentials end at once and nothing more is created or sent. Its subscription is cancelled. The answer waits up to two seconds for attempts in progress. Everything the account had is erased within an hour.",
  auth: "session",
  responses: {
    204: { description: "The account is deleted.", schema: null, headers: { "Set-Cookie": "Clears the session." } },
  },
});

export const listSessions = endpoint({
  operationId: "listSessions",
  method: "GET",
  path: "/v1/me/sessions",
  tag,
  summary: "The account's sessions, most recently used first.",
  auth: "session",
  responses: { 200: { description: "The sessions, at most 100.", schema: SessionsAnswer, example: SESSIONS_EXAMPLE } },
});

export const endOtherSessions = endpoint({
  operationId: "endOtherSessions",
  method: "DELETE",
  path: "/v1/me/sessions",
  tag,
  summary: "End every session but this one.",
  auth: "session",
  responses: { 204: { description: "The others have ended.", schema: null } },
});

export const endSession = endpoint({
  operationId: "endSession",
  method: "DELETE",
  path: "/v1/me/sessions/{id}",
  tag,
  summary: "End one session.",
  description: "It may be the one of this call, whose cookie is then cleared.",
  auth: "session",
  responses: {
    204: {
      description: "The session has ended.",
      schema: null,
      headers: { "Set-Cookie": "Clears the session, when it was the one of this call." },
    },
  },
  errors: ["NOT_FOUND"],
});
