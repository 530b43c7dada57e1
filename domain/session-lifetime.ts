/** A session that is not used ends this many days after its last use. */
export const SESSION_DAYS = 7;

/** A session ends this many days after its sign-in at the latest, however often it is used. */
export const SESSION_DAYS_MAX = 30;

const DAY_S = 86_400;

/** Whether a session counts as started by a recent sign-in: within a day. `ageS` is the time since its sign-in. */
export function isRecentSignIn(ageS: number): boolean {
  return ageS <= DAY_S;
}

/** Lifetime, s, of the cookie of a session that is started or renewed now. `ageS` is the time since its sign-in. */
export function sessionCookieSeconds(ageS: number): number {
  return Math.max(0, Math.floor(Math.min(SESSION_DAYS * DAY_S, SESSION_DAYS_MAX * DAY_S - ageS)));
}
