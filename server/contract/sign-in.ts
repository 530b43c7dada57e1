import { z } from "zod";
import { parseRedirectPath } from "#domain/redirect-path.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Sign-in";

const RedirectTo = z
  .string("must be a path of this service")
  .refine((text) => parseRedirectPath(text) !== null, "must be a path of this service, such as /account")
  .optional();

const LOCATION = { Location: "Where the browser goes on." };
const SIGNED_IN = { ...LOCATION, "Set-Cookie": "The session, `sw_session`, when there is one now." };

export const startMagicLink = endpoint({
  operationId: "startMagicLink",
  method: "POST",
  path: "/v1/auth/magic/start",
  tag,
  summary: "Mail a link that signs in.",
  description:
    "The answer is the same whether there is an account or not. The link works once, for 15 minutes; the cookie of this answer lets the browser that asked use it without another click. Five links an hour for an address, and twenty from a network.",
  auth: "none",
  body: z.strictObject({
    email: z
      .string("must be an e-mail address")
      .trim()
      .toLowerCase()
      .max(254, "must be an e-mail address")
      .pipe(z.email("must be an e-mail address"))
      .meta({ description: "Where the link is sent, in any letter case." }),
    redirectTo: RedirectTo.describe("A path of this service, to go to once signed in."),
  }),
  bodyBytesMax: 16_384,
  bodyExample: { email: "ada@example.com" },
  responses: {
    202: {
      description: "The mail was handed over.",
      schema: z
        .strictObject({ status: z.literal("sent").describe("Always `sent`.") })
        .meta({ id: "LinkSent", description: "A link is on its way." }),
      headers: { "Set-Cookie": "Lets this browser use the link at once." },
      example: { status: "sent" },
    },
  },
  errors: ["FORBIDDEN", "RATE_LIMITED", "UNAVAILABLE"],
});

export const verifyMagicLink = endpoint({
  operationId: "verifyMagicLink",
  method: "GET",
  path: "/v1/auth/magic/verify",
  tag,
  summary: "Sign in with the link of a mail.",
  description:
    "In the browser that asked for the link, this starts the session. Elsewhere, and with `HEAD`, nothing is used up: it leads to a page whose button asks again with `confirm=1`. What fails leads to `/login?error=<code>`. Other parameters are passed over.",
  auth: "none",
  query: z.strictObject({
    token: z.string().optional().describe("From the mail."),
    email: z.string().optional().describe("The address that the mail went to."),
    confirm: z.string().optional().describe("`1` once the person has confirmed, on the page that asks for it."),
    redirectTo: z.string().optional().describe("A path of this service, to go to once signed in."),
  }),
  responses: { 303: { description: "To where the person goes on.", schema: null, headers: SIGNED_IN } },
});

export const startOAuth = endpoint({
  operationId: "startOAuth",
  method: "GET",
  path: "/v1/auth/oauth/{provider}/start",
  tag,
  summary: "Go to Google or GitHub to sign in.",
  auth: "none",
  query: z.strictObject({ redirectTo: RedirectTo.describe("A path of this service, to go to once signed in.") }),
  responses: { 303: { description: "To the provider.", schema: null, headers: LOCATION } },
  errors: ["NOT_FOUND", "UNAVAILABLE"],
});

export const finishOAuth = endpoint({
  operationId: "finishOAuth",
  method: "GET",
  path: "/v1/auth/oauth/{provider}/callback",
  tag,
  summary: "Come back from Google or GitHub.",
  description:
    "What the provider answers with: the address to register there. What fails leads to `/login?error=<code>`. An address that the provider has not verified opens no account. Parameters that are not known are passed over.",
  auth: "none",
  query: z.strictObject({
    code: z.string().optional().describe("What the provider vouches with."),
    state: z.string().optional().describe("What the browser was sent there with."),
    error: z.string().optional().describe("Why the provider does not vouch."),
    iss: z.string().optional().describe("Who the provider is."),
  }),
  responses: { 303: { description: "To where the person goes on.", schema: null, headers: SIGNED_IN } },
  errors: ["NOT_FOUND", "UNAVAILABLE"],
});

export const logOut = endpoint({
  operationId: "logOut",
  method: "POST",
  path: "/v1/auth/logout",
  tag,
  summary: "End the session.",
  auth: "session",
  responses: {
    204: { description: "The session has ended.", schema: null, headers: { "Set-Cookie": "Clears the session." } },
  },
});
