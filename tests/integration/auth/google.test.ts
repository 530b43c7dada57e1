import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeGoogle, startFakeGoogle } from "../../helpers/fake-google.ts";
import { type SignInApi, sessionOf, startSignInApi } from "../../helpers/sign-in-api.ts";

let google: FakeGoogle;
let signIn: SignInApi;

const ADMIN = "kim@example.com";
const HOSTED = "example.com";

beforeAll(async () => {
  google = await startFakeGoogle();
  signIn = await startSignInApi({
    ADMIN_EMAILS: ADMIN,
    AUTH_GOOGLE_ID: google.id,
    AUTH_GOOGLE_SECRET: google.secret,
    AUTH_GOOGLE_ISSUER: google.issuer,
  });
  google.register(`${signIn.api.config.baseUrl}/v1/auth/oauth/google/callback`);
});
afterAll(async () => {
  await signIn?.stop();
  await google?.stop();
});
beforeEach(async () => {
  google.tamper = (idToken) => idToken;
  await signIn.sql`DELETE FROM sign_in_requests`;
});

const location = ({ headers }: { headers: Headers }) => headers.get("location");

/** Signs a new person in at Google. */
function somebody(overrides: Partial<FakeGoogle["user"]> = {}) {
  google.user = {
    sub: crypto.randomUUID(),
    email: `${crypto.randomUUID()}@gmail.com`,
    isVerified: true,
    name: "G",
    ...overrides,
  };
  return google.user;
}

const accountOf = async () => signIn.accountOf(sessionOf(await signIn.throughGoogle()));

describe("somebody at a provider whose verified address differs from an account's by letters that Unicode folds", () => {
  const SPELLINGS = [
    "\u212Aim@example.com",
    "\u212AIM@EXAMPLE.COM",
    "k\u0130m@example.com",
    "kim@example.co\uFF4D",
    "\uFF4Bim@example.com",
    "kim\uFF20example.com",
    "kim@exam\u00ADple.com",
    "kim\u200D@example.com",
    " kim@example.com",
    "kim@example.com\u00A0",
    "kim@example.com.",
    '"kim"@example.com',
    "kim@example.com,eve@example.com",
  ];

  it.each(SPELLINGS)(
    "is neither signed in to that account, an administrator's, nor given a new account: %j",
    async (email) => {
      await signIn.sql`DELETE FROM sign_in_requests`;
      await signIn.session(ADMIN);
      const before = [await signIn.count("accounts"), await signIn.count("identities"), await signIn.count("sessions")];
      somebody({ email, hd: HOSTED });
      const byGoogle = await signIn.throughGoogle();
      signIn.github.user = { id: Math.floor(Math.random() * 1e9), login: "k", name: "K", email, isVerified: true };
      const went = await signIn.goToGitHub();
      const byGitHub = await signIn.open(went.back, { cookie: went.cookie });
      for (const answer of [byGoogle, byGitHub]) {
        expect([location(answer), sessionOf(answer)]).toEqual(["/login?error=email_unverified", undefined]);
      }
      const after = [await signIn.count("accounts"), await signIn.count("identities"), await signIn.count("sessions")];
      expect(after).toEqual(before);
    },
  );

  it("stays in the account that their identity already has, whatever the address at the provider has become", async () => {
    const { sub, email } = somebody();
    expect(await accountOf()).toBe(email);
    somebody({ sub, email: "\u212Aim@example.com", hd: HOSTED });
    expect(await accountOf()).toBe(email);
  });
});

describe("somebody whom Google knows by an address", () => {
  it.each([
    ["of gmail.com", { email: `${crypto.randomUUID()}@gmail.com` }],
    ["of an organisation with Google Workspace", { hd: HOSTED }],
    ["of another domain", {}],
    ["of another domain, with an empty hd", { hd: "" }],
    ["of another domain, with hd of another form", { hd: true as unknown as string }],
    ["of a domain that ends like gmail.com", { email: "kim@notgmail.com" }],
    ["of a subdomain of gmail.com", { email: "kim@mail.gmail.com" }],
  ])("%s does not join the account of that address, and is asked to use a link", async (_, claims) => {
    const email = "email" in claims ? claims.email : signIn.newEmail();
    await signIn.session(email);
    somebody({ email, ...claims });
    const answer = await signIn.throughGoogle();
    expect([location(answer), sessionOf(answer)]).toEqual(["/login?error=link_needed", undefined]);
    expect(await signIn.sql`SELECT 1 FROM identities WHERE provider_account_id = ${google.user.sub}`).toHaveLength(0);
  });

  it("of another domain gets a new account where the address has none, and stays in it", async () => {
    const { email } = somebody({ hd: undefined });
    expect([await accountOf(), await accountOf()]).toEqual([email, email]);
  });

  it("of another domain gets no account by the address of an administrator", async () => {
    somebody({ email: ADMIN, hd: undefined });
    await signIn.sql`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE email = ${ADMIN}`;
    const answer = await signIn.throughGoogle();
    expect([location(answer), sessionOf(answer)]).toEqual(["/login?error=link_needed", undefined]);
  });
});

describe("an ID token", () => {
  const parts = (idToken: string) => idToken.split(".") as [string, string, string];
  const json = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signed = (head: string, body: string) =>
    `${head}.${body}.${sign("sha256", Buffer.from(`${head}.${body}`), privateKey).toString("base64url")}`;

  it.each<[string, (idToken: string) => string]>([
    [
      "whose claims were changed on the way",
      (idToken) => {
        const [head, body, signature] = parts(idToken);
        return [head, part({ ...json(body), email: ADMIN, hd: HOSTED }), signature].join(".");
      },
    ],
    ["whose signature was cut off", (idToken) => parts(idToken).slice(0, 2).join(".").concat(".")],
    [
      "that somebody else signed with the same key id",
      (idToken) => {
        const [head, body] = parts(idToken);
        return signed(head, body);
      },
    ],
    [
      "that brings its own key",
      (idToken) => {
        const [head, body] = parts(idToken);
        const jwk = publicKey.export({ format: "jwk" });
        return signed(part({ ...json(head), jwk, kid: undefined }), body);
      },
    ],
    ["without a signature", (idToken) => `${part({ alg: "none" })}.${parts(idToken)[1]}.`],
    [
      "that is signed with the client's secret",
      (idToken) => {
        const text = `${part({ alg: "HS256" })}.${parts(idToken)[1]}`;
        return `${text}.${createHmac("sha256", google.secret).update(text).digest("base64url")}`;
      },
    ],
  ])("%s signs nobody in", async (_, tamper) => {
    somebody();
    google.tamper = tamper;
    const answer = await signIn.throughGoogle();
    expect([location(answer), sessionOf(answer)]).toEqual(["/login?error=provider_refused", undefined]);
    expect(await signIn.sql`SELECT 1 FROM identities WHERE provider_account_id = ${google.user.sub}`).toHaveLength(0);
  });
});
