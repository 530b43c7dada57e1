import { z } from "zod";
import { type Config, processEnv, readConfig, readLauncherConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { connectOrm, type Db } from "#db/orm.ts";
import { createApiKey } from "#db/queries/accounts/api-keys.ts";
import { recordAct } from "#db/queries/accounts/audit-log.ts";
import { createOrFindAccount, type FoundAccount } from "#db/queries/accounts/create.ts";
import { recordSecurityEvent } from "#db/queries/accounts/security-events.ts";
import { createSession } from "#db/queries/accounts/sessions.ts";
import { verifyEmail } from "#db/queries/accounts/verify-email.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { DIRECT_SESSION, POOLED_SESSION } from "#db/sessions.ts";
import { typedEmailAddress } from "#domain/email-address.ts";
import { ENVIRONMENTS, type Environment } from "#domain/environment.ts";
import { encodeId } from "#domain/ids.ts";
import { PLAN_NAMES, type Plans } from "#domain/plans.ts";
import type { Query } from "#server/context.ts";
import { assertAct, doAct } from "../account/acts.ts";
import { command, UsageError } from "../command.ts";
import { readKeys, readOrMakeKeys } from "../keys/keys.ts";
import { withEmbeddedPostgres } from "../postgres/with-embedded.ts";

type Env = Record<string, string | undefined>;
type Options = Record<string, string | boolean | undefined>;

type Wanted = z.infer<typeof Wanted>;

const Wanted = z.object({
  email: z.string("--email is missing").pipe(typedEmailAddress("--email: that is not an e-mail address")),
  plan: z.enum(PLAN_NAMES, `--plan is ${PLAN_NAMES.join(" or ")}`).optional(),
  key: z.enum(ENVIRONMENTS, `--key is ${ENVIRONMENTS.join(" or ")}`).optional(),
  session: z.boolean().default(false),
  admin: z.boolean().default(false),
});

const DEADLINE_MS = 10_000;
const OPERATOR = { accountId: null, requestId: null };
const BY_OPERATOR = { actor: "operator", network: null, userAgent: null } as const;

await command<Options>({
  usage: `Usage: npm run account -- create --email E [--plan free|indie] [--key live|test] [--session] [--admin]
       npm run account -- list [--q TEXT] [--plan PLAN] [--status active|deactivated] [--after ID] [--limit N]
       npm run account -- show | deactivate | reactivate --email E
       npm run account -- plan --email E --plan free|indie
       npm run account -- log [--email E] [--after ID] [--limit N]

Prints one JSON object. Without DATABASE_URL it uses the embedded database.

create      creates the account of an e-mail address, or finds it: { accountId, email, plan, key?, session? }.
            Key and session are created each time, and shown only here.
list        the accounts, newest first; next is what --after takes
show        one account with its usage
plan        sets the plan that an account has without paying
deactivate  ends its sessions and refuses its keys; its schedules wait
reactivate  lets it continue; schedules that became overdue are sent
log         who set plans, deactivated and reactivated accounts; latest first

  --email E        the address, in any letter case
  --id ID          the account's id (acc_...), in place of --email, except with create
  --plan PLAN      with create, the plan of a new account (default: DEFAULT_PLAN)
  --key live|test  also creates an API key of this environment
  --session        also starts a session; prints the value of the cookie sw_session
  --admin          marks the address as verified; if it is in ADMIN_EMAILS, its sessions are admin sessions
  --q TEXT         part of an address, or a whole id`,
  options: {
    email: { type: "string" },
    id: { type: "string" },
    q: { type: "string" },
    status: { type: "string" },
    after: { type: "string" },
    limit: { type: "string" },
    plan: { type: "string" },
    key: { type: "string" },
    session: { type: "boolean" },
    admin: { type: "boolean" },
  },
  positionals: 1,
  async run(options, [action]) {
    const work = action === "create" ? creating(readWanted(options)) : acting(action, options);
    const { databaseUrl, dataDir, hasEncryptionKeys } = readLauncherConfig();
    const findKeys = databaseUrl ? readKeys : readOrMakeKeys;
    const env = { ...processEnv(), ...(hasEncryptionKeys ? {} : await findKeys(dataDir)) };
    const made = databaseUrl
      ? await work(env)
      : await withEmbeddedPostgres(dataDir, async (url) => {
          await migrate(url, { onLog: console.error });
          return work({ ...env, DATABASE_URL: url, DATABASE_DIRECT_URL: url });
        });
    console.log(JSON.stringify(made));
    return 0;
  },
});

function readWanted(options: Options): Wanted {
  const parsed = Wanted.safeParse(options);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map((issue) => issue.message).join("\n"));
  return parsed.data;
}

function acting(action: string | undefined, options: Options) {
  assertAct(action);
  return (env: Env) => connected(env, (config, query) => doAct(action, options, config, query));
}

async function connected<T>(env: Env, work: (config: Config, query: Query) => Promise<T>): Promise<T> {
  const config = readConfig(env);
  const database = connectOrm({
    url: config.databaseUrl,
    name: "stopwatch account",
    connectionsMax: 1,
    prepare: false,
    session: config.databaseUrl === config.databaseDirectUrl ? DIRECT_SESSION : POOLED_SESSION,
  });
  try {
    await database.run(DEADLINE_MS, ({ sql }) => assertSchemaFits(sql));
    return await work(config, (ask) => database.run(DEADLINE_MS, ask));
  } finally {
    await database.close();
  }
}

function creating({ email, plan, key, session, admin }: Wanted) {
  return (env: Env) =>
    connected(env, (config, query) =>
      query(async ({ db }) => {
        const wanted = { email, plan: plan ?? config.defaultPlan, keyRing: config.keyRing, nowMs: Date.now() };
        const account = await findOrCreate(db, wanted, admin === true);
        if (plan && plan !== account.plan)
          console.error(`${account.email} has an account already, on ${account.plan}.`);
        if (admin && !config.adminEmails.has(account.email)) {
          console.error(
            `ADMIN_EMAILS of this command does not name ${account.email}. The web part decides by its own: add it there, and start the web part again.`,
          );
        }
        const started = session && (await startSession(db, account.id, config.plans));
        const made = key && (await makeKey(db, account, key, config.plans));
        return {
          accountId: encodeId("acc", account.id),
          email: account.email,
          plan: account.plan,
          ...(made && { key: made.key }),
          ...(started && { session: started.token }),
        };
      }),
    );
}

/** Finds or creates the account; with `isVerified` its address counts as verified. What it changes is in the audit log. */
function findOrCreate(db: Db, wanted: Parameters<typeof createOrFindAccount>[1], isVerified: boolean) {
  return db.transaction(async (tx) => {
    const account = await createOrFindAccount(tx, wanted);
    const { id: subjectId, plan } = account;
    if (account.created) await recordAct(tx, OPERATOR, { action: "create", subjectId, before: {}, after: { plan } });
    if (isVerified && (await verifyEmail(tx, subjectId, { ...BY_OPERATOR, keyRing: wanted.keyRing }))) {
      await recordAct(tx, OPERATOR, { action: "verify_email", subjectId, before: {}, after: {} });
    }
    return account;
  });
}

function startSession(db: Db, accountId: string, plans: Plans) {
  return db.transaction(async (tx) => {
    await recordSecurityEvent(tx, { accountId, kind: "signed_in", ...BY_OPERATOR });
    await recordAct(tx, OPERATOR, { action: "start_session", subjectId: accountId, before: {}, after: {} });
    return createSession(tx, { accountId, userAgent: "npm run account" }, plans);
  });
}

function makeKey(db: Db, { id: accountId, plan }: FoundAccount, env: Environment, plans: Plans) {
  return db.transaction(async (tx) => {
    const key = await createApiKey(tx, { accountId, env, name: "command line" }, plans[plan]);
    const details = { keyName: key.name, env };
    await recordSecurityEvent(tx, { accountId, kind: "api_key_created", subjectId: key.id, details, ...BY_OPERATOR });
    await recordAct(tx, OPERATOR, { action: "make_api_key", subjectId: accountId, before: {}, after: { env } });
    return key;
  });
}
