import { DrizzleAdapter } from "@auth/drizzle-adapter";
import type { Adapter, AdapterUser } from "next-auth/adapters";
import { adapterTables } from "#db/adapter-tables.ts";
import type { Db } from "#db/orm.ts";
import { signUpAccount } from "#db/queries/accounts/create.ts";
import { findAccountToSignIn } from "#db/queries/accounts/find.ts";
import { deleteIdentityOfDeleted } from "#db/queries/accounts/identities.ts";
import { fullTerm } from "#db/queries/accounts/sessions.ts";
import { confirmOwner } from "#db/queries/accounts/verify-email.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import type { Services } from "../services.ts";
import { DATABASE_BUDGET_MS } from "../services.ts";
import type { Attempt } from "./sign-in-attempt.ts";
import { SignInFailure } from "./sign-in-failure.ts";
import { signUpRule } from "./sign-up-rule.ts";

/**
 * What next-auth keeps in the database, through @auth/drizzle-adapter and our own rules: session tokens are stored hashed,
 * what a provider hands out is dropped, an account is made by the rules for new accounts, and one that is not active
 * signs nobody in. A session that a browser brings along is never found: otherwise next-auth would give the identity of
 * whoever is at the provider to the account of whoever is signed in here.
 */
export function createAdapter(held: Services, attempt: Attempt): Adapter {
  const run = async <T>(work: (db: Db, adapter: Required<Adapter>) => Awaitable<T>): Promise<T> => {
    if (attempt.transaction) return work(attempt.transaction, storedBy(attempt.transaction));
    return held.connection.run(DATABASE_BUDGET_MS, async ({ db }) => work(db, storedBy(db)));
  };
  return {
    async getUserByEmail(email) {
      // Asking for a link must not tell whether there is an account, nor take longer when there is.
      if (attempt.step === "ask for a link") return null;
      return run(async (db) => active(await findAccountToSignIn(db, email)));
    },
    async getUserByAccount(identity) {
      const user = active(await run((_, adapter) => adapter.getUserByAccount(identity)));
      attempt.isKnownIdentity = user !== null;
      return user;
    },
    getUser: (id) => run((_, adapter) => adapter.getUser(id)),
    async createUser({ email, name = null, image = null }) {
      const { config } = held;
      const profile = { name: name ?? null, avatarUrl: image ?? null };
      const made = await run((db) =>
        signUpAccount(db, {
          ...{ email, plan: config.defaultPlan, keyRing: config.keyRing, nowMs: Date.now() },
          ...profile,
          rule: signUpRule(config, email),
        }),
      );
      if (!made) throw new SignInFailure("signup_closed");
      return { id: made.id, email: made.email, emailVerified: new Date(), name, image };
    },
    async updateUser(user) {
      return run(async (db, adapter) => {
        await confirmOwner(db, user.id, { name: null, avatarUrl: null });
        return (await adapter.getUser(user.id)) as AdapterUser;
      });
    },
    async linkAccount({ userId, provider, providerAccountId }) {
      await run(async (db, adapter) => {
        await confirmOwner(db, userId, attempt.profile ?? { name: null, avatarUrl: null });
        await deleteIdentityOfDeleted(db, { provider, providerAccountId });
        await adapter.linkAccount({ userId, provider, providerAccountId, type: "oauth" });
      });
    },
    async createSession({ sessionToken, userId }) {
      const row = {
        sessionToken: hashSessionToken(sessionToken),
        userId,
        userAgent: attempt.userAgent,
        expires: fullTerm,
      };
      const { expires } = await run((_, adapter) => adapter.createSession(row as never));
      attempt.sessionToken = sessionToken;
      return { sessionToken, userId, expires };
    },
    async getSessionAndUser() {
      return null;
    },
    async updateSession() {
      return null;
    },
    async deleteSession(sessionToken) {
      await run((_, adapter) => adapter.deleteSession(hashSessionToken(sessionToken)) as Promise<void>);
    },
    createVerificationToken: (token) =>
      run((_, adapter) => adapter.createVerificationToken(token) as Promise<typeof token>),
    useVerificationToken: (token) => run((_, adapter) => adapter.useVerificationToken(token)),
  };
}

type Awaitable<T> = T | PromiseLike<T>;

function storedBy(db: Db): Required<Adapter> {
  return DrizzleAdapter(db, adapterTables as never) as Required<Adapter>;
}

function active(found: object | null | undefined): AdapterUser | null {
  const user = found as { status?: string } | null | undefined;
  if (!user || user.status === "deleted") return null;
  if (user.status !== "active") throw new SignInFailure("account_deactivated");
  return user as unknown as AdapterUser;
}
