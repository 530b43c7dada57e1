import { randomUUID } from "node:crypto";
import { DrizzleAdapter } from "@auth/drizzle-adapter";
import type { Adapter, AdapterUser } from "next-auth/adapters";
import { adapterTables } from "#db/adapter-tables.ts";
import type { Db } from "#db/orm.ts";
import { signUpAccount } from "#db/queries/accounts/create.ts";
import { findAccountToSignIn } from "#db/queries/accounts/find.ts";
import { deleteIdentityOfDeleted, hasRoomForIdentity, opensAccount } from "#db/queries/accounts/identities.ts";
import { recordSecurityEvent } from "#db/queries/accounts/security-events.ts";
import { fullTerm, hasSession, makeRoomForSession } from "#db/queries/accounts/sessions.ts";
import { storeProfile, verifyEmail } from "#db/queries/accounts/verify-email.ts";
import { parseEmailAddress } from "#domain/email-address.ts";
import type { ProviderName } from "#domain/providers.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import type { Services } from "../services.ts";
import { DATABASE_BUDGET_MS } from "../services.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { SignInFailure } from "./sign-in-failure.ts";
import { signUpRule } from "./sign-up-rule.ts";

/**
 * The database adapter of next-auth: @auth/drizzle-adapter with our rules on top. Session tokens are stored hashed,
 * provider tokens are dropped, accounts are created by the sign-up rule, and only active accounts can sign in. A session is
 * only found where a person asked to link an identity (`linkTo`): otherwise next-auth would link it to the account signed in
 * before.
 */
export function createAdapter(services: Services, attempt: SignInAttempt): Adapter {
  const run = async <T>(work: (db: Db, adapter: Required<Adapter>) => Awaitable<T>): Promise<T> => {
    if (attempt.transaction) return work(attempt.transaction, drizzleAdapter(attempt.transaction));
    return services.anonymous.run(DATABASE_BUDGET_MS, async ({ db }) => work(db, drizzleAdapter(db)));
  };
  const source = attempt.source ?? { network: null, userAgent: null };
  const byProvider = attempt.provider ? { provider: attempt.provider } : {};
  return {
    async getUserByEmail(email) {
      // The response and its timing must not reveal whether the account exists.
      if (attempt.step === "request link") return null;
      const user = await run(async (db) => activeUser(await findAccountToSignIn(db, storedForm(email))));
      // No provider opens an account that it is not linked to: its word for an address may be old.
      if (user !== null && attempt.provider !== undefined) throw new SignInFailure("link_needed");
      return user;
    },
    async getUserByAccount(identity) {
      const found = await run((_, adapter) => adapter.getUserByAccount(identity));
      if (attempt.linkTo && found && found.id !== attempt.linkTo.accountId && !isDeleted(found)) {
        throw new SignInFailure("identity_taken");
      }
      const user = activeUser(found);
      attempt.identity = identity as typeof attempt.identity;
      attempt.isKnownIdentity = user !== null;
      return user;
    },
    getUser: (id) => run((_, adapter) => adapter.getUser(id)),
    async createUser({ email, name = null, image = null }) {
      const { config } = services;
      const isByProvider = attempt.provider !== undefined;
      if (signUpRule(config, email) === "none") throw new SignInFailure("signup_closed");
      // An administrator's address gives rights, which a former owner of it must not get.
      if (isByProvider && !attempt.isVouched && config.adminEmails.has(email)) throw new SignInFailure("link_needed");
      const profile = attempt.profile ?? { name: null, avatarUrl: null };
      const account = await run((db) =>
        signUpAccount(db, {
          email: storedForm(email),
          plan: config.defaultPlan,
          keyRing: config.keyRing,
          nowMs: Date.now(),
          ...profile,
          rule: signUpRule(config, email),
          openedByProvider: isByProvider && !attempt.isVouched,
          by: source,
        }),
      );
      // Another call has made it meanwhile.
      if (account && !account.created && isByProvider) throw new SignInFailure("link_needed");
      if (!account) throw new SignInFailure("signup_closed");
      return { id: account.id, email: account.email, emailVerified: null, name, image };
    },
    async updateUser(user) {
      return run(async (db, adapter) => {
        await verifyEmail(db, user.id, { actor: "sign_in", keyRing: services.config.keyRing, ...source });
        return (await adapter.getUser(user.id)) as AdapterUser;
      });
    },
    async linkAccount({ userId, providerAccountId, ...account }) {
      const provider = account.provider as ProviderName;
      await run((db) =>
        db.transaction(async (tx) => {
          if (!(await hasRoomForIdentity(tx, userId, services.config.plans)))
            throw new SignInFailure("too_many_identities");
          if (attempt.linkTo && !(await hasSession(tx, userId, attempt.linkTo.sessionId))) {
            throw new SignInFailure("signed_out");
          }
          if (attempt.profile) await storeProfile(tx, userId, attempt.profile);
          await deleteIdentityOfDeleted(tx, { provider, providerAccountId });
          await drizzleAdapter(tx as unknown as Db).linkAccount({ userId, provider, providerAccountId, type: "oauth" });
          const by =
            attempt.linkTo === undefined
              ? ({ actor: "sign_in" } as const)
              : ({ actor: "session", actorId: attempt.linkTo.sessionId } as const);
          const linked = { accountId: userId, kind: "identity_linked", details: { provider } } as const;
          await recordSecurityEvent(tx, { ...linked, ...by, ...source });
        }),
      );
    },
    async createSession({ sessionToken, userId }) {
      const id = randomUUID();
      const row = {
        sessionToken: hashSessionToken(sessionToken),
        userId,
        userAgent: source.userAgent,
        expires: fullTerm,
        id,
      };
      const { expires } = await run((db) =>
        db.transaction(async (tx) => {
          const byPerson = { accountId: userId, actor: "sign_in", ...source } as const;
          const times = await makeRoomForSession(tx, userId, services.config.plans);
          // The owner of the mailbox may have come meanwhile, and have ended what others opened the account with.
          if (attempt.identity && !(await opensAccount(tx, userId, attempt.identity))) {
            throw new SignInFailure("link_needed");
          }
          if (times > 0) await recordSecurityEvent(tx, { ...byPerson, kind: "session_ended", times });
          await recordSecurityEvent(tx, { ...byPerson, kind: "signed_in", subjectId: id, details: byProvider });
          return drizzleAdapter(tx as unknown as Db).createSession(row as never);
        }),
      );
      attempt.sessionToken = sessionToken;
      return { sessionToken, userId, expires };
    },
    async getSessionAndUser(sessionToken) {
      const { linkTo } = attempt;
      const user = linkTo && (await run((_, adapter) => adapter.getUser(linkTo.accountId)));
      return user ? { user, session: { sessionToken, userId: user.id, expires: new Date(Date.now() + 60_000) } } : null;
    },
    async updateSession() {
      return null;
    },
    // next-auth requires this method. It calls it only to sign out, which we never ask it to do.
    async deleteSession() {
      return null;
    },
    // next-auth calls this at once after it has asked for the mail, which would go out before its link is valid.
    async createVerificationToken(token) {
      const stored = await run((_, adapter) => adapter.createVerificationToken(token));
      await attempt.sendMail?.();
      return stored;
    },
    useVerificationToken: (token) => run((_, adapter) => adapter.useVerificationToken(token)),
  };
}

/** An address as next-auth hands it back. Throws unless it is one that we gave to next-auth. */
function storedForm(email: string): string {
  if (parseEmailAddress(email) !== email) throw new Error("next-auth changed an e-mail address");
  return email;
}

type Awaitable<T> = T | PromiseLike<T>;

function drizzleAdapter(db: Db): Required<Adapter> {
  return DrizzleAdapter(db, adapterTables as never) as Required<Adapter>;
}

const isDeleted = (row: object) => (row as { status?: string }).status === "deleted";

function activeUser(row: object | null | undefined): AdapterUser | null {
  const user = row as { status?: string } | null | undefined;
  if (!user || isDeleted(user)) return null;
  if (user.status !== "active") throw new SignInFailure("account_deactivated");
  return user as unknown as AdapterUser;
}
