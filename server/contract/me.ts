import { z } from "zod";
import { ProfileInput } from "../me/profile-input.ts";
import { endpoint } from "./endpoint.ts";
import { PROFILE_EXAMPLE, SESSIONS_EXAMPLE } from "./examples.ts";
import { AccountId, Env, InstantText, KeyId, SessionId } from "./fields.ts";

const ProfileAnswer = z
  .strictObject({
    user: z.strictObject({
      id: AccountId,
      email: z.email(),
      name: z.string().nullable(),
      avatarUrl: z.string().nullable(),
      status: z.enum(["active", "deactivated"]),
      emailVerified: z.boolean(),
      notices: z.boolean(),
      createdAt: InstantText,
    }),
    authSource: z.enum(["session", "apiKey"]),
    apiKey: z.strictObject({ id: KeyId, env: Env }).nullable(),
    subscription: z.strictObject({
      plan: z.enum(["free", "indie"]),
      status: z.enum(["none", "active", "past_due", "canceled"]),
      currentPeriodEnd: InstantText.nullable(),
      manageable: z.boolean(),
    }),
    isAdmin: z.boolean(),
  })
  .meta({ id: "Profile" });

const SessionsAnswer = z
  .strictObject({
    items: z.array(
      z.strictObject({
        id: SessionId,
        userAgent: z.string().nullable(),
        createdAt: InstantText,
        lastUsedAt: InstantText,
        expiresAt: InstantText,
        current: z.boolean(),
      }),
    ),
  })
  .meta({ id: "Sessions" });

const tag = "Account";

export const getProfile = endpoint({
  operationId: "getProfile",
  method: "GET",
  path: "/v1/me",
  tag,
  summary: "Who the credential belongs to, and on which plan.",
  auth: "any",
  answers: { 200: { description: "The profile.", schema: ProfileAnswer, example: PROFILE_EXAMPLE } },
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
  answers: { 200: { description: "The profile as it is now.", schema: ProfileAnswer, example: PROFILE_EXAMPLE } },
});

export const deleteAccount = endpoint({
  operationId: "deleteAccount",
  method: "DELETE",
  path: "/v1/me",
  tag,
  summary: "Delete the account.",
  description:
    "Its credentials end at once and nothing more is created or sent. The answer waits up to two seconds for attempts that are under way. Everything the account had is erased within an hour.",
  auth: "session",
  answers: {
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
  answers: { 200: { description: "The sessions, at most 100.", schema: SessionsAnswer, example: SESSIONS_EXAMPLE } },
});

export const endOtherSessions = endpoint({
  operationId: "endOtherSessions",
  method: "DELETE",
  path: "/v1/me/sessions",
  tag,
  summary: "End every session but this one.",
  auth: "session",
  answers: { 204: { description: "The others have ended.", schema: null } },
});
