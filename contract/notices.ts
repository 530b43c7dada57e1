import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const NOT_A_TOKEN = "must be the token of an unsubscribe link";
const Token = z.string(NOT_A_TOKEN).max(200, NOT_A_TOKEN).describe("The token in the unsubscribe link of a notice.");

const tag = "Account";

export const openUnsubscribe = endpoint({
  operationId: "openUnsubscribe",
  method: "GET",
  path: "/v1/notices/unsubscribe",
  tag,
  summary: "Redirect to the page that asks for confirmation; changes nothing.",
  auth: "none",
  query: z.strictObject({ token: Token }),
  responses: { 303: { description: "To the page.", schema: null, headers: { Location: "The page." } } },
  errors: ["VALIDATION"],
});

export const unsubscribe = endpoint({
  operationId: "unsubscribe",
  method: "POST",
  path: "/v1/notices/unsubscribe",
  tag,
  summary: "Turn the e-mail notices of an account off, by the link in one of them.",
  description:
    "One-click unsubscribe for mail programs (RFC 8058). The token in the URL is the credential; the body, a form, is ignored. Turning notices on again requires a session: `PATCH /v1/me`.",
  auth: "none",
  query: z.strictObject({
    token: Token,
    answer: z.literal("page", "must be page").optional().describe("`page`: redirect to a confirmation page."),
  }),
  responses: {
    200: {
      description: "Notices are off.",
      schema: z
        .strictObject({ notices: z.literal(false).describe("They are off.") })
        .meta({ id: "NoticesOff", description: "Notices are off." }),
      example: { notices: false },
    },
    303: { description: "With `answer=page`: to the page.", schema: null, headers: { Location: "The page." } },
  },
  errors: ["VALIDATION", "UNAVAILABLE"],
});
