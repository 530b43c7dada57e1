import Provider from "oidc-provider";
import { type HttpHandler, serveHttp } from "#scripts/lab/http-server.ts";

/** `hd` is the Google Workspace that the person belongs to. */
export type GoogleUser = { sub: string; email: string; isVerified: boolean; name: string; hd?: string };

export type FakeGoogle = {
  /** For AUTH_GOOGLE_ISSUER, AUTH_GOOGLE_ID and AUTH_GOOGLE_SECRET. */
  issuer: string;
  id: string;
  secret: string;
  /** The person who is signed in at the provider. */
  user: GoogleUser;
  /** Changes the ID token that it is about to send. */
  tamper: (idToken: string) => string | Promise<string>;
  /** Registers the only address that it redirects people to. Before that it answers nothing. */
  register(redirectUri: string): void;
  stop(): Promise<void>;
};

/** A real OpenID Connect server with a single question: whether to go on as `user`. PKCE is required. */
export async function startFakeGoogle(): Promise<FakeGoogle> {
  let handle: HttpHandler = (_, response) => response.writeHead(503).end();
  const { origin: issuer, close } = await serveHttp((request, response) => handle(request, response));
  const fake: FakeGoogle = {
    issuer,
    id: "google-client",
    secret: "google-secret-of-some-length-0123456789",
    user: { sub: "g-1", email: "grace@gmail.com", isVerified: true, name: "Grace Hopper" },
    tamper: (idToken) => idToken,
    register(redirectUri) {
      const provider = createProvider(fake, redirectUri);
      provider.use(async (ctx, next) => {
        await next();
        const body = ctx.body as { id_token?: string } | undefined;
        if (body?.id_token) body.id_token = await fake.tamper(body.id_token);
      });
      const callback = provider.callback();
      handle = (request, response) => {
        const [, uid, step] = /^\/interaction\/([^/]+)(?:\/(go-on|refuse))?$/.exec(request.url ?? "") ?? [];
        if (uid === undefined) return callback(request, response);
        return answerQuestion(provider, fake, step, request, response);
      };
    },
    stop: close,
  };
  return fake;
}

function createProvider(fake: FakeGoogle, redirectUri: string): Provider {
  return new Provider(fake.issuer, {
    clients: [
      {
        client_id: fake.id,
        client_secret: fake.secret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
      },
    ],
    // As at Google, the ID token itself contains what is known of the person.
    conformIdTokenClaims: false,
    claims: { openid: ["sub"], email: ["email", "email_verified", "hd"], profile: ["name"] },
    findAccount: (_, accountId) => {
      const { email, isVerified, name, hd } = fake.user;
      return { accountId, claims: () => ({ sub: accountId, email, email_verified: isVerified, name, hd }) };
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ["fake"] },
  });
}

async function answerQuestion(
  provider: Provider,
  { user }: FakeGoogle,
  step: string | undefined,
  ...[request, response]: Parameters<HttpHandler>
): Promise<void> {
  if (step === undefined) {
    response.setHeader("content-type", "text/html");
    const here = request.url;
    response.end(`<!doctype html><h1>Continue as ${user.name}?</h1>
      <a id="go-on" href="${here}/go-on">Continue</a> <a id="refuse" href="${here}/refuse">Cancel</a>`);
    return;
  }
  if (step === "refuse") return provider.interactionFinished(request, response, { error: "access_denied" });
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: user.sub, clientId: String(params.client_id) });
  grant.addOIDCScope("openid email profile");
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId: user.sub }, consent });
}
