/** Where a walk over all accounts, in the order of their ids, continues: the first account (UUID) of the next step. */
export type WalkFrom = string;

export type WalkStep = {
  /** Rows that the step made. */
  rows: number;
  /** Null when every account was visited. */
  next: WalkFrom | null;
};

export const FIRST_ACCOUNT: WalkFrom = "00000000-0000-0000-0000-000000000000";

/** Accounts that one statement visits. Each costs a look-up in an index, whether there is something to do or not. */
export const ACCOUNTS_PER_STEP = 1_000;
