import type { Config } from "#config.ts";
import type { SignUpRule } from "#db/queries/accounts/create.ts";

/** What SIGNUP means for somebody who has this address and no account. */
export function signUpRule({ signup, adminEmails }: Pick<Config, "signup" | "adminEmails">, email: string): SignUpRule {
  switch (signup) {
    case "open":
      return "all";
    case "first":
      return "first";
    case "invited":
      return adminEmails.has(email) ? "all" : "none";
    case "closed":
      return "none";
  }
}
