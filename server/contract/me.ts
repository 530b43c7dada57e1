import { z } from "zod";
import { PLAN_NAMES } from "#domain/plans.ts";
import { ProfileInput } from "../me/profile-input.ts";
import { endpoint } from "./endpoint.ts";
import { PROFILE_EXAMPLE, SESSIONS_EXAMPLE } from "./examples.ts";
import { AccountId, Env, InstantText, KeyId, SessionId } from "./fields.ts";

const ProfileAnswer = z
  .strictObject({
    user: z
      .strictObject({
        id: AccountId.describe("The account; one person has one."),
        email: z.email().describe("The address that the owner signs in with."),
        name: z.string().nullable().describe("What the owner is called; null until it is known."),
        avatarUrl: z.string().nullable().describe("A picture of the owner; null when there is none."),
        status: z.enum(["active", "deactivated"]).describe("Schedules of a deactivated account wait."),
        emailVerified: z.boolean().describe("Whether the address was shown to be the owner's."),
        notices: z.boolean().describe("Whether the owner is told by e-mail of dead schedules and of the quota."),
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
        status: z.enum(["none", "active", "past_due", "canceled"]).describe("How the subscription stands."),
        currentPeriodEnd: InstantText.nullable().describe(
          "When an active subscription renews, a canceled one ends or ended, and a past_due one gives the plan no longer; null when there is none.",
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
          createdAt: InstantText.describe("When it was started."),
          lastUsedAt: InstantText.describe("When it was last used, to the day."),
          expiresAt: InstantText.describe("When it ends unless it is used before."),
          current: z.boolean().describe("Whether it is the one that the call came with."),
        }),
      )
      .describe("The sessions, the one that was used last first."),
  })
  .meta({ id: "Sessions", description: "Where somebody is signed in." });

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
    "Its credentials end at once and nothing more is created or sent. Its subscription is cancelled. The answer waits up to two seconds for attempts that are under way. Everything the account had is erased within an hour.",
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
  summary: "The account's sessions, the one that was used last first.",
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
