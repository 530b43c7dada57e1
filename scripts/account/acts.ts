import { z } from "zod";
import type { Config } from "#config.ts";
import { EXISTING_ACCOUNT_STATUSES } from "#domain/account-status.ts";
import { PLAN_NAMES } from "#domain/plans.ts";
import { Admin } from "#server/admin/admin.ts";
import { deactivateAccount } from "#server/admin/deactivate.ts";
import { findAccount } from "#server/admin/find-account.ts";
import { listAllAccounts } from "#server/admin/list-accounts.ts";
import { listAuditLog } from "#server/admin/list-audit-log.ts";
import { reactivateAccount } from "#server/admin/reactivate.ts";
import { readAccount } from "#server/admin/read-account.ts";
import { setAccountPlan } from "#server/admin/set-plan.ts";
import type { Query } from "#server/context.ts";
import { UsageError } from "../command.ts";

const plan = z.enum(PLAN_NAMES, `--plan is ${PLAN_NAMES.join(" or ")}`);

const which = z
  .object({ id: z.string().optional(), email: z.string().optional() })
  .refine(({ id, email }) => (id === undefined) !== (email === undefined), "either --email or --id is needed");

const Paging = z.object({
  after: z.string().optional(),
  limit: z.coerce
    .number("--limit is a number")
    .int("--limit is a whole number")
    .min(1, "--limit is at least 1")
    .optional(),
});

const Filter = Paging.extend({
  q: z.string().optional(),
  plan: plan.optional(),
  status: z.enum(EXISTING_ACCOUNT_STATUSES, `--status is ${EXISTING_ACCOUNT_STATUSES.join(" or ")}`).optional(),
});

type Options = Record<string, string | boolean | undefined>;

/** What an administrator may do, by the action's name. Each returns the object to print. */
type Act = (admin: Admin, options: Options) => Promise<object>;

const ACTS = new Map<string, Act>(
  Object.entries({
    list: (admin, options) => listAllAccounts(admin, parse(Filter, options)),
    show: async (admin, options) => readAccount(admin, await find(admin, options)),
    async plan(admin, options) {
      const wanted = parse(
        z.object({ plan: z.enum(PLAN_NAMES, `${PLAN_NAMES.map((name) => `--plan ${name}`).join(" or ")} is needed`) }),
        options,
      );
      return act(admin, options, (id) => setAccountPlan(admin, id, wanted.plan));
    },
    deactivate: (admin, options) => act(admin, options, (id) => deactivateAccount(admin, id)),
    reactivate: (admin, options) => act(admin, options, (id) => reactivateAccount(admin, id)),
    async log(admin, options) {
      const isOfOne = options.id !== undefined || options.email !== undefined;
      const accountId = isOfOne ? await find(admin, options) : undefined;
      return listAuditLog(admin, { ...parse(Paging, options), accountId });
    },
  }),
);

/** Throws a UsageError when `name` is not an action. */
export function assertAct(name: string | undefined): asserts name is string {
  if (name === undefined || !ACTS.has(name)) {
    throw new UsageError(`The actions are create, ${[...ACTS.keys()].join(", ")}.`);
  }
}

/** Runs an action on behalf of the operator at the command line. */
export function doAct(name: string, options: Options, config: Config, query: Query): Promise<object> {
  const work = ACTS.get(name) as Act;
  return work(Admin.operator(config, query), options);
}

async function act(admin: Admin, options: Options, work: (id: string) => Promise<void>): Promise<object> {
  const id = await find(admin, options);
  await work(id);
  return readAccount(admin, id);
}

/** The id of the account that `--id` or `--email` names. */
async function find(admin: Admin, options: Options): Promise<string> {
  const { id, email } = parse(which, options);
  if (id !== undefined) return id;
  return findAccount(admin, email ?? "");
}

function parse<T extends z.ZodType>(schema: T, options: Options): z.infer<T> {
  const parsed = schema.safeParse(options);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(({ message }) => message).join("\n"));
  return parsed.data;
}
