/** In place of the id of an API key: a session created the schedule, in the dashboard or by a call with its cookie. */
export const SESSION_CREATOR = "00000000-0000-0000-0000-000000000000";

/** Who created a schedule. A key that was deleted since has no name. */
export type ScheduleCreator =
  | { kind: "session" }
  | { kind: "key"; name: string; prefix: string; last4: string; isRevoked: boolean }
  | { kind: "deletedKey"; id: string };

/** The id (UUID) that a schedule keeps of the credential that creates it. */
export function creatorOf({ kind, id }: { kind: "key" | "session"; id: string }): string {
  return kind === "key" ? id : SESSION_CREATOR;
}
