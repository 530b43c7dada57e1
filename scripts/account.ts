import { z } from "zod";
import { processEnv, readConfig, readLauncherConfig } from "#config.ts";
import { migrate } from "#db/migrate.ts";
import { connectOrm } from "#db/orm.ts";
import { createOrFindAccount, verifyEmail } from "#db/queries/accounts.ts";
import { createApiKey } from "#db/queries/api-keys.ts";
import { createSession } from "#db/queries/sessions.ts";
import { encodeId } from "#domain/ids.ts";
import { command, UsageError } from "./command.ts";
import { readKeys, readOrMakeKeys } from "./keys.ts";
import { withEmbeddedPostgres } from "./with-embedded-postgres.ts";

type Env = Record<string, string | undefined>;
type Options = { email?: string; plan?: string; key?: string; session?: boolean; admin?: boolean };

type Wanted = z.infer<typeof Wanted>;

const Wanted = z.object({
  email: z.string("--email is missing").trim().toLowerCase().pipe(z.email("--email: that is not an e-mail address")),
  plan: z.enum(["free", "indie"], "--plan is free or indie").optional(),
  key: z.enum(["live", "test"], "--key is live or test").optional(),
  session: z.boolean().default(false),
  admin: z.boolean().default(false),
});

const DEADLINE_MS = 10_000;

await command<Options>({
  usage: `Usage: npm run account -- create --email E [--plan free|indie] [--key live|test] [--session] [--admin]

Makes the account of an e-mail address, or finds it, and prints one JSON object: { accountId, email, plan, key?, session? }.
Key and session are made anew each time and shown only here. Without DATABASE_URL it works on the embedded database.

  --email E        the address, in any letter case
  --plan PLAN      the plan of a new account (default: DEFAULT_PLAN)
  --key live|test  makes an API key of this environment too
  --session        starts a session too; it is the value of the cookie sw_session
  --admin          vouches for the address; with ADMIN_EMAILS naming it, its sessions are admin sessions`,
  options: {
    email: { type: "string" },
    plan: { type: "string" },
    key: { type: "string" },
    session: { type: "boolean" },
    admin: { type: "boolean" },
  },
  positionals: 1,
  async run(options, [action]) {
    const wanted = readWanted(options, action);
    const { databaseUrl, dataDir, hasEncryptionKeys } = readLauncherConfig();
    const findKeys = databaseUrl ? readKeys : readOrMakeKeys;
    const env = { ...processEnv(), ...(hasEncryptionKeys ? {} : await findKeys(dataDir)) };
    const made = databaseUrl
      ? await createAccount(env, wanted)
      : await withEmbeddedPostgres(dataDir, async (url) => {
          await migrate(url, { onLog: console.error });
          return createAccount({ ...env, DATABASE_URL: url, DATABASE_DIRECT_URL: url }, wanted);
        });
    console.log(JSON.stringify(made));
    return 0;
  },
});

function readWanted(options: Options, action: string | undefined): Wanted {
  if (action !== "create") throw new UsageError("The only action is create: npm run account -- create --email E");
  const parsed = Wanted.safeParse(options);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map((issue) => issue.message).join("\n"));
  return parsed.data;
}

async function createAccount(env: Env, { email, plan, key, session, admin }: Wanted) {
  const config = readConfig(env);
  const connection = connectOrm({
    url: config.databaseUrl,
    name: "stopwatch account",
    connectionsMax: 1,
    prepare: false,
  });
  try {
    return await connection.run(DEADLINE_MS, async ({ db }) => {
      const account = await createOrFindAccount(db, {
        email,
        plan: plan ?? config.defaultPlan,
        keyRing: config.keyRing,
        nowMs: Date.now(),
      });
      if (plan && plan !== account.plan) console.error(`${account.email} has an account already, on ${account.plan}.`);
      if (admin) await verifyEmail(db, account.id);
      if (admin && !config.adminEmails.has(account.email)) {
        console.error(`${account.email} is not in ADMIN_EMAILS: add it there and start the web part again.`);
      }
      const started = session && (await createSession(db, { accountId: account.id, userAgent: "npm run account" }));
      const made = key && (await createApiKey(db, { accountId: account.id, env: key, name: "command line" }));
      return {
        accountId: encodeId("acc", account.id),
        email: account.email,
        plan: account.plan,
        ...(made && { key: made.key }),
        ...(started && { session: started.token }),
      };
    });
  } finally {
    await connection.close();
  }
}
