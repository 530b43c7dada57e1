import type { ProfileRow } from "#db/queries/accounts/profile.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

/** The profile as callers see it, with the credential of the request. */
export function presentProfile({ config, credential }: Pick<Ctx, "config" | "credential">, row: ProfileRow) {
  const isKey = credential.kind === "key";
  return {
    user: {
      id: encodeId("acc", row.id),
      email: row.email,
      name: row.name,
      avatarUrl: row.avatarUrl,
      status: "active" as const,
      emailVerified: row.emailVerifiedAt !== null,
      notices: row.notices,
      createdAt: row.createdAt.toISOString(),
    },
    authSource: isKey ? ("apiKey" as const) : ("session" as const),
    apiKey: isKey ? { id: encodeId("key", credential.id), env: credential.env } : null,
    subscription: {
      plan: row.plan,
      status: row.subscriptionStatus,
      currentPeriodEnd: row.periodEnd?.toISOString() ?? null,
      manageable: config.stripe !== undefined && row.subscriptionStatus !== "none",
    },
    isAdmin: !isKey && credential.isAdmin,
  };
}
