import { generateApiKey } from "#domain/api-key.ts";
import type { Environment } from "#domain/environment.ts";
import type { Ctx } from "../context.ts";
import { openValues, sealValues } from "../http/sealed-value.ts";

const PURPOSE = "prepared-keys";
const MAX_AGE_S = 3_600;

/**
 * A raw key of each environment, made before its form is shown and encrypted for a hidden field: a form that is sent
 * twice stores one key, and both answers can show it. Valid for an hour.
 */
export function prepareKeys(ctx: Ctx): string {
  return sealValues(ctx, PURPOSE, { live: generateApiKey("live"), test: generateApiKey("test") }, MAX_AGE_S);
}

/** The raw keys of `prepareKeys`; null when they expired or are not of this session. */
export function openPreparedKeys(ctx: Ctx, sealed: string): Record<Environment, string> | null {
  const { live, test } = openValues(ctx, PURPOSE, sealed) ?? {};
  return live !== undefined && test !== undefined ? { live, test } : null;
}
