import { presentRecurrence } from "#contract/recurrences.ts";
import type { ChangedRecurrence } from "./change.ts";

/** The response body of a PUT or a pause. */
export function presentChanged(changed: ChangedRecurrence) {
  return { ...presentRecurrence(changed.row), ...takenBack(changed) };
}

/** The response body of DELETE /v1/recurrences/:key. */
export function presentDeleted(deleted: ChangedRecurrence) {
  return { key: deleted.row.key, ...takenBack(deleted) };
}

const takenBack = ({ taken, inFlight }: ChangedRecurrence) => ({ taken_back: taken, in_flight: inFlight });
