import { ApiKeyInput, RotateInput } from "#contract/inputs/api-key-input.ts";
import { validate } from "#contract/inputs/validate.ts";
import type { ApiKeyRow } from "#db/queries/accounts/api-keys.ts";
import { environmentOf } from "#domain/environment.ts";
import { AppError, DailyLimitReached, SignInTooOld } from "#domain/errors.ts";
import { encodeId } from "#domain/ids.ts";
import type { Reply } from "../http/reply.ts";
import { clearedHandOverCookie, handOverCookie } from "../http/sealed-value.ts";
import type { FormCall } from "../routes/form-route.ts";
import { createOwnApiKey } from "./create.ts";
import { keyIdOrThrow } from "./key-id.ts";
import { listOwnApiKeys } from "./list.ts";
import { openPreparedKeys } from "./prepared-keys.ts";
import { revokeOwnApiKey } from "./revoke.ts";
import { rotateOwnApiKey } from "./rotate.ts";

/** The page that shows a raw key. */
export const CREATED_PATH = "/keys/created";

/** The error with which the form of a new key asks for a new sign-in. */
export const CONFIRM = "confirm";

/** A form that is sent again within this time shows its key again; later the key counts as shown, ms. */
const RESEND_MS = 60_000;
const ECHOED_LENGTH_MAX = 200;

/** The form of a new key: creates it, and hands the raw value to the page that shows it. */
export async function createKeyByForm(call: FormCall): Promise<Reply> {
  const { ctx, fields, goTo } = call;
  const name = (fields.get("name") ?? "").slice(0, ECHOED_LENGTH_MAX).toWellFormed();
  const input = ApiKeyInput.safeParse({ name, env: fields.get("keyEnv") });
  const typed = { name, keyEnv: environmentOf(fields.get("keyEnv")) };
  if (!input.success) return goTo("/keys/new", { ...typed, error: "name" });
  const prepared = openPreparedKeys(ctx, fields.get("prepared") ?? "");
  if (prepared === null) return goTo("/keys/new", { ...typed, error: "stale" });
  try {
    return showOnce(call, await createOwnApiKey(ctx, input.data, prepared), "created");
  } catch (error) {
    if (error instanceof DailyLimitReached) return goTo("/keys/new", { ...typed, error: "daily" });
    if (error instanceof SignInTooOld) return goTo("/keys/new", { ...typed, error: CONFIRM });
    if (error instanceof AppError && error.code === "CONFLICT")
      return goTo("/keys/new", { ...typed, error: "CONFLICT" });
    throw error;
  }
}

/** "Rotate now": replaces a key, and hands the raw value of the new one to the page that shows it. */
export async function rotateKeyByForm(call: FormCall): Promise<Reply> {
  const { ctx, fields, goTo } = call;
  const id = fields.get("id") ?? "";
  keyIdOrThrow(id);
  const prepared = openPreparedKeys(ctx, fields.get("prepared") ?? "");
  if (prepared === null) return goTo(`/keys/${id}/rotate`, { error: "stale" });
  const { overlapHours } = validate(RotateInput, { overlapHours: Number(fields.get("overlapHours") ?? 0) });
  try {
    const key = await rotateOwnApiKey(ctx, id, { overlapHours, prepared });
    return showOnce(call, key, overlapHours === 0 ? "rotated" : "overlaps");
  } catch (error) {
    if (error instanceof DailyLimitReached) return goTo(`/keys/${id}/rotate`, { error: "daily" });
    if (error instanceof AppError && error.code === "CONFLICT")
      return goTo(`/keys/${id}/rotate`, { error: "CONFLICT" });
    if (error instanceof SignInTooOld) return goTo(`/keys/${id}/rotate`);
    throw error;
  }
}

/** "Revoke key": only when its name was typed. */
export async function revokeKeyByForm({ ctx, fields, goTo, finish }: FormCall): Promise<Reply> {
  const id = fields.get("id") ?? "";
  keyIdOrThrow(id);
  const key = (await listOwnApiKeys(ctx)).find((one) => encodeId("key", one.id) === id);
  if (key !== undefined && (fields.get("name") ?? "").trim() !== key.name) {
    return goTo(`/keys/${id}/revoke`, { error: "name" });
  }
  await revokeOwnApiKey(ctx, id);
  return finish("/keys", { result: "revoked" });
}

/** "I have saved it": from here on nothing shows the raw key. */
export async function closeKeyByForm({ ctx, finish }: FormCall): Promise<Reply> {
  return finish("/keys", { result: "saved" }, [clearedHandOverCookie(ctx.config, CREATED_PATH)]);
}

function showOnce(
  { ctx, goTo }: FormCall,
  key: ApiKeyRow & { key: string },
  result: "created" | "rotated" | "overlaps",
): Reply {
  const isShown = key.revokedAt !== null || Date.now() - key.createdAt.getTime() > RESEND_MS;
  if (isShown) return goTo("/keys", { error: "shown" });
  const values = { key: key.key, name: key.name, env: key.env, result };
  return goTo(CREATED_PATH, {}, [handOverCookie(ctx, CREATED_PATH, values)]);
}
