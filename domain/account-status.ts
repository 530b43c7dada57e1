/**
 * The status of an account:
 * - `active`: its schedules are delivered
 * - `deactivated`: an administrator has locked it out, and its schedules wait
 * - `deleted`: nothing is done for it any more, and its rows are erased
 */
export const ACCOUNT_STATUSES = ["active", "deactivated", "deleted"] as const;

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** The statuses of accounts that are not deleted; an administrator sets either. */
export const EXISTING_ACCOUNT_STATUSES = ["active", "deactivated"] as const satisfies AccountStatus[];

export type ExistingAccountStatus = (typeof EXISTING_ACCOUNT_STATUSES)[number];
