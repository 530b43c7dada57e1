import type { RepeatInput } from "#contract/inputs/repeat-input.ts";
import { sqlOf } from "#db/orm.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import type { StoredRequest } from "#db/queries/schedules/stored-request.ts";
import { assertRecentSignIn } from "../auth/recent-sign-in.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";
import { changeAtOnce } from "./change-at-once.ts";
import { type CreatedSchedule, store } from "./create.ts";
import type { ScheduleRequest } from "./prepare.ts";
import { repeatRequest } from "./repeat.ts";

/**
 * Clones a schedule to another target, with the stored payload unless there is another one. For the dashboard only: whoever
 * has an API key must not be able to send a stored payload to a server of theirs. The payload stays encrypted and is sealed
 * anew for its target; the stored headers go along only to the same origin. The security log gets a row in the transaction
 * that creates the clone. `adjust` changes the request before it is stored. Throws what `repeatSchedule` throws, and
 * SignInTooOld.
 */
export async function cloneElsewhere(
  ctx: Ctx,
  stored: StoredRequest & { id: string },
  input: RepeatInput & { targetUrl: string },
  adjust: (request: ScheduleRequest) => Promise<ScheduleRequest>,
): Promise<CreatedSchedule> {
  assertRecentSignIn(ctx);
  const { target } = repeatRequest(ctx, stored, input);
  const staysAtOrigin = target.ok && target.origin === new URL(stored.targetUrl).origin;
  const headers = input.headers ?? (staysAtOrigin ? undefined : []);
  const request = await adjust(repeatRequest(ctx, stored, { ...input, headers }));
  return store(ctx, request, (limits, schedule) =>
    changeAtOnce(ctx, ({ db }) =>
      db.transaction(async (tx) => {
        const creation = await createSchedule(sqlOf(tx), ctx.tenant, limits, schedule);
        if (creation.outcome === "created") {
          const details = { scheduleId: creation.id, env: ctx.tenant.env };
          await recordOwnEvent(tx, ctx, { kind: "request_redirected", details });
        }
        return creation;
      }),
    ),
  );
}
