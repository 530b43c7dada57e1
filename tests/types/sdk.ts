import type { z } from "zod";
import type { ErrorCode } from "#domain/errors.ts";
import type { Endpoint } from "#server/contract/endpoint.ts";
import type * as logs from "#server/contract/logs.ts";
import type * as me from "#server/contract/me.ts";
import type * as operations from "#server/contract/operations.ts";
import type * as overview from "#server/contract/overview.ts";
import type * as schedules from "#server/contract/schedules.ts";
import type * as secrets from "#server/contract/signing-secrets.ts";
import type * as sdk from "../../sdk/src/index.ts";
import type { Equal, Flat, Merged } from "./equal.ts";

// Compiled by `npm run check`: an error here says that the types of the SDK are not those of the contract.

type Output<E extends Endpoint, Status extends number = 200> = E["responses"] extends {
  [S in Status]: { schema: infer Schema extends z.ZodType };
}
  ? Flat<z.output<Schema>>
  : never;

type Body<E> = E extends { body: infer Schema extends z.ZodType } ? Flat<z.input<Schema>> : never;
type Filter<E> = E extends { query: infer Schema extends z.ZodType } ? Flat<z.input<Schema>> : never;

/** An input of the SDK as a body: dates and URLs are written as text, and `json` as `payload`. */
type InBody<T> = Merged<Written<WithPayload<T>>>;

type WithPayload<T> = T extends { json: unknown } ? Omit<T, "json" | "payload"> & { payload: string } : Omit<T, "json">;

type Written<T> = T extends Date | URL
  ? string
  : T extends readonly (infer Item)[]
    ? Written<Item>[]
    : T extends object
      ? { [Key in keyof T]: Written<T[Key]> }
      : T;

/** A filter of the SDK as a query, where everything is text and a list is joined by commas. */
type InQuery<T> = Merged<{
  [Key in keyof T]: Key extends "status" ? string : T[Key] extends infer V ? Queried<V> : never;
}>;

type Queried<T> = T extends Date | number ? string : T;

type Same<A, B> = Equal<Flat<A>, B>;

type All<Checks extends true[]> = Checks;

export type Answers = All<
  [
    Same<sdk.Schedule, Output<typeof schedules.getSchedule>>,
    Same<sdk.RescheduledSchedule, Output<typeof schedules.rescheduleSchedule>>,
    Same<sdk.Schedule, Output<typeof schedules.fireSchedule>>,
    Same<sdk.Schedule, Output<typeof schedules.cancelSchedule>>,
    Same<sdk.Created, Output<typeof schedules.createSchedule, 201>>,
    Same<sdk.Created, Output<typeof schedules.createSchedule>>,
    Same<sdk.Created, Output<typeof schedules.replaySchedule, 201>>,
    Same<sdk.Created, Output<typeof schedules.cloneSchedule, 201>>,
    Same<sdk.BulkResult, Output<typeof schedules.createSchedulesBulk>>,
    Same<sdk.Page<sdk.Schedule>, Output<typeof schedules.listSchedules>>,
    Same<sdk.Attempts, Output<typeof schedules.listAttempts>>,
    Same<sdk.StartedOperation, Output<typeof operations.startOperation, 202>>,
    Same<sdk.StartedOperation, Output<typeof operations.startOperation>>,
    Same<sdk.Operation, Output<typeof operations.getOperation>>,
    Same<sdk.Operation, Output<typeof operations.stopOperation>>,
    Same<sdk.Page<sdk.Operation>, Output<typeof operations.listOperations>>,
    Same<sdk.LogPage, Output<typeof logs.listLogs>>,
    Same<sdk.Overview, Output<typeof overview.getOverview>>,
    Same<sdk.Usage, Output<typeof overview.getUsage>>,
    Same<sdk.Punctuality, Output<typeof overview.getPunctuality>>,
    Same<sdk.SigningSecrets, Output<typeof secrets.getSigningSecrets>>,
    Same<sdk.RotatedSigningSecrets, Output<typeof secrets.rotateSigningSecrets>>,
    Same<sdk.Profile, Output<typeof me.getProfile>>,
    Equal<sdk.ServiceErrorCode, ErrorCode>,
  ]
>;

export type Inputs = All<
  [
    Equal<InBody<sdk.CreateInput>, Body<typeof schedules.createSchedule>>,
    Equal<InBody<sdk.RescheduleInput>, Body<typeof schedules.rescheduleSchedule>>,
    Equal<InBody<sdk.ReplayInput>, Body<typeof schedules.replaySchedule>>,
    Equal<InBody<sdk.CloneInput>, Body<typeof schedules.cloneSchedule>>,
    Equal<InBody<sdk.OperationInput>, Body<typeof operations.startOperation>>,
    Equal<InQuery<sdk.ScheduleFilter>, Filter<typeof schedules.listSchedules>>,
    Equal<InQuery<sdk.LogFilter>, Filter<typeof logs.listLogs>>,
    Equal<InQuery<sdk.OperationFilter>, Filter<typeof operations.listOperations>>,
    Equal<InQuery<sdk.OverviewFilter>, Filter<typeof overview.getOverview>>,
  ]
>;
