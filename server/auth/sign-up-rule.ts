import type { Config } from "#config.ts";
import type { SignUpRule } from "#db/queries/accounts/create.ts";

/** Who may sign up according to SIGNUP, for an e-mail address without an account. */
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
