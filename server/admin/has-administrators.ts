import { getServices } from "../services.ts";

/** Whether `ADMIN_EMAILS` names anybody. */
export function hasAdministrators(): boolean {
  return getServices().config.adminEmails.size > 0;
}
