import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const NOT_A_TOKEN = "must be that of a link in a notice";
const Token = z.string(NOT_A_TOKEN).max(200, NOT_A_TOKEN).describe("What the link in a notice has.");

const tag = "Account";

export const openUnsubscribe = endpoint({
  operationId: "openUnsubscribe",
  method: "GET",
  path: "/v1/notices/unsubscribe",
  tag,
  summary: "Lead to the page that asks before it turns notices off; changes nothing.",
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
    "What a mail program calls when somebody presses its button for unsubscribing (RFC 8058). The token in the address is the credential; the body, a form, is not looked at. Turning them on again needs a session: `PATCH /v1/me`.",
  auth: "none",
  query: z.strictObject({
    token: Token,
    answer: z.literal("page", "must be page").optional().describe("`page`: lead to a page that says so."),
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
