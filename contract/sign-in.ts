import { z } from "zod";
import { typedEmailAddress } from "#domain/email-address.ts";
import { parseRedirectPath } from "#domain/redirect-path.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Sign-in";

const RedirectTo = z
  .string("must be a path of this service")
  .refine((text) => parseRedirectPath(text) !== null, "must be a path of this service, such as /account")
  .optional();

const LOCATION = { Location: "Where the browser is redirected." };
const SIGNED_IN = { ...LOCATION, "Set-Cookie": "The session cookie `sw_session`, when the sign-in succeeded." };

export const startMagicLink = endpoint({
  operationId: "startMagicLink",
  method: "POST",
  path: "/v1/auth/magic/start",
  tag,
  summary: "Mail a link that signs in.",
  description:
    "The response is the same whether or not the address has an account. Where not everybody may sign up, only an address that has an account or may get one is mailed. The link works once, for 15 minutes; the response's cookie lets the requesting browser use it without confirmation. Limits: five links per hour and address, twenty per hour and network, and all mails of the installation together.",
  auth: "none",
  body: z.strictObject({
    email: typedEmailAddress("must be an e-mail address").meta({
      format: "email",
      description:
        "Where the link is sent, in any letter case. ASCII only (a domain in punycode), without quotes or comments; at most 254 characters, 64 before the `@`.",
    }),
    redirectTo: RedirectTo.describe("A path of this service, to go to once signed in."),
  }),
  bodyBytesMax: 16_384,
  bodyExample: { email: "ada@example.com" },
  responses: {
    202: {
      description: "The mail was sent, if the address may sign in here.",
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
    "In the browser that requested the link, this starts the session. In other browsers, and with `HEAD`, the link is not redeemed: the response redirects to a page whose button repeats the request with `confirm=1`. Failures redirect to `/login?error=<code>`. Unknown parameters are ignored; one that is given twice is a failure, which redeems nothing.",
  auth: "none",
  query: z.strictObject({
    token: z.string().optional().describe("From the mail."),
    email: z.string().optional().describe("The address that the mail went to."),
    confirm: z.string().optional().describe("`1` once the person has confirmed, on the page that asks for it."),
    redirectTo: z.string().optional().describe("A path of this service, to go to once signed in."),
  }),
  responses: { 303: { description: "Redirects to `redirectTo` or an error page.", schema: null, headers: SIGNED_IN } },
});

export const startOAuth = endpoint({
  operationId: "startOAuth",
  method: "GET",
  path: "/v1/auth/oauth/{provider}/start",
  tag,
  summary: "Go to Google or GitHub to sign in.",
  description:
    "A link on a page of another site leads to the sign-in page instead. With `link=1` no session is started: the identity is linked to the account of the session, which must have signed in within the last day; anything but a link on a page of the service leads to `/account/identities/new`.",
  auth: "none",
  query: z.strictObject({
    redirectTo: RedirectTo.describe("A path of this service, to go to once signed in."),
    link: z.literal("1", "must be 1").optional().describe("`1` to link the identity to the account that is signed in."),
  }),
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
    "The callback URL to register with the provider. Failures redirect to `/login?error=<code>`. A sign-in with an identity that no account has makes an account; it joins none: where the address has an account, the failure is `link_needed`. An e-mail address that the provider has not verified makes none either. Unknown parameters are ignored; one that is given twice is a failure.",
  auth: "none",
  query: z.strictObject({
    code: z.string().optional().describe("The authorization code."),
    state: z.string().optional().describe("The state of the authorization request."),
    error: z.string().optional().describe("The provider's error code."),
    iss: z.string().optional().describe("The provider's issuer identifier."),
  }),
  responses: { 303: { description: "Redirects to `redirectTo` or an error page.", schema: null, headers: SIGNED_IN } },
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
