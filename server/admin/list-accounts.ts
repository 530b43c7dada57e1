import { countAccounts, listAccounts } from "#db/queries/accounts/list.ts";
import type { ExistingAccountStatus } from "#domain/account-status.ts";
import { foldAscii, trimAscii } from "#domain/ascii.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import type { PlanName } from "#domain/plans.ts";
import { accountIdOrThrow } from "./account-id.ts";
import type { Admin } from "./admin.ts";
import { presentAccount } from "./present-account.ts";

export type AccountFilter = {
  /** Part of an e-mail address (case-insensitive), or a complete account id. */
  q?: string | undefined;
  plan?: PlanName | undefined;
  status?: ExistingAccountStatus | undefined;
  /** `next` of the previous page. */
  after?: string | undefined;
  limit?: number | undefined;
};

const LIMIT = 50;
const LIMIT_MAX = 200;
const TOTAL_MAX = 10_000;

/**
 * One page of the accounts that are not deleted, newest first. `total` is exact up to 10,000; `next` is null on the last
 * page. Throws NOT_FOUND when `after` is not an account id.
 */
export async function listAllAccounts(admin: Admin, { q, plan, status, after, limit = LIMIT }: AccountFilter) {
  const search = (q && foldAscii(trimAscii(q))) || undefined;
  const id = search === undefined ? undefined : (decodeId("acc", search) ?? undefined);
  const filter = { plan, status, ...(id === undefined ? { email: search } : { id }) };
  const rowsMax = Math.min(Math.max(limit, 1), LIMIT_MAX);
  const from = after === undefined ? undefined : accountIdOrThrow(after);
  const [rows, counted] = await admin.query(({ db }) =>
    Promise.all([
      listAccounts(db, { ...filter, after: from, limit: rowsMax + 1 }),
      countAccounts(db, filter, TOTAL_MAX + 1),
    ]),
  );
  const page = rows.slice(0, rowsMax);
  const last = page.at(-1);
  return {
    items: page.map((row) => presentAccount(row, admin.config.plans)),
    total: Math.min(counted, TOTAL_MAX),
    isTotalCapped: counted > TOTAL_MAX,
    next: rows.length > rowsMax && last ? encodeId("acc", last.id) : null,
  };
}
