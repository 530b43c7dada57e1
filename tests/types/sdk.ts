import type { z } from "zod";
import type { Endpoint } from "#contract/endpoint.ts";
import type * as logs from "#contract/logs.ts";
import type * as me from "#contract/me.ts";
import type * as operations from "#contract/operations.ts";
import type * as overview from "#contract/overview.ts";
import type * as schedules from "#contract/schedules.ts";
import type * as byKey from "#contract/schedules-by-key.ts";
import type * as secrets from "#contract/signing-secrets.ts";
import type { ErrorCode } from "#domain/errors.ts";
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

type All<Checks extends true[]> = Checks;

type Client = sdk.Stopwatch;
type Schedules = Client["schedules"];
type Operations = Client["operations"];
type Method = (...input: never[]) => unknown;

/** What a page answers, without what iterates. */
type Answer<M extends Method> = Flat<Omit<Awaited<ReturnType<M>>, "pages" | typeof Symbol.asyncIterator>>;

export type Answers = All<
  [
    Equal<Answer<Schedules["create"]>, Output<typeof schedules.createSchedule>>,
    Equal<Answer<Schedules["create"]>, Output<typeof schedules.createSchedule, 201>>,
    Equal<Answer<Schedules["put"]>, Output<typeof byKey.putScheduleByKey>>,
    Equal<Answer<Schedules["put"]>, Output<typeof byKey.putScheduleByKey, 201>>,
    Equal<Answer<Schedules["getByKey"]>, Output<typeof byKey.getScheduleByKey>>,
    Equal<Answer<Schedules["cancelByKey"]>, Output<typeof byKey.cancelScheduleByKey>>,
    Equal<Answer<Schedules["list"]>, Output<typeof schedules.listSchedules>>,
    Equal<Answer<Schedules["get"]>, Output<typeof schedules.getSchedule>>,
    Equal<Answer<Schedules["wait"]>, Output<typeof schedules.getSchedule>>,
    Equal<Answer<Schedules["attempts"]>, Output<typeof schedules.listAttempts>>,
    Equal<Answer<Schedules["reschedule"]>, Output<typeof schedules.rescheduleSchedule>>,
    Equal<Answer<Schedules["fire"]>, Output<typeof schedules.fireSchedule>>,
    Equal<Answer<Schedules["cancel"]>, Output<typeof schedules.cancelSchedule>>,
    Equal<Answer<Schedules["replay"]>, Output<typeof schedules.replaySchedule>>,
    Equal<Answer<Schedules["replay"]>, Output<typeof schedules.replaySchedule, 201>>,
    Equal<Answer<Schedules["clone"]>, Output<typeof schedules.cloneSchedule>>,
    Equal<Answer<Schedules["clone"]>, Output<typeof schedules.cloneSchedule, 201>>,
    Equal<Answer<Operations["start"]>, Output<typeof operations.startOperation>>,
    Equal<Answer<Operations["start"]>, Output<typeof operations.startOperation, 202>>,
    Equal<Answer<Operations["list"]>, Output<typeof operations.listOperations>>,
    Equal<Answer<Operations["get"]>, Output<typeof operations.getOperation>>,
    Equal<Answer<Operations["wait"]>, Output<typeof operations.getOperation>>,
    Equal<Answer<Operations["stop"]>, Output<typeof operations.stopOperation>>,
    Equal<Answer<Client["logs"]["list"]>, Output<typeof logs.listLogs>>,
    Equal<Answer<Client["overview"]>, Output<typeof overview.getOverview>>,
    Equal<Answer<Client["usage"]>, Output<typeof overview.getUsage>>,
    Equal<Answer<Client["punctuality"]>, Output<typeof overview.getPunctuality>>,
    Equal<Answer<Client["signingSecrets"]["get"]>, Output<typeof secrets.getSigningSecrets>>,
    Equal<Answer<Client["signingSecrets"]["rotate"]>, Output<typeof secrets.rotateSigningSecrets>>,
    Equal<Answer<Client["me"]>, Output<typeof me.getProfile>>,
    // The types that `createMany` uses.
    Equal<Flat<sdk.BulkResult>, Output<typeof schedules.createSchedulesBulk>>,
    Equal<sdk.ServiceErrorCode, ErrorCode>,
  ]
>;

/** The type of a method's parameter at this position. */
type Input<M extends Method, Place extends number = 0> = NonNullable<Parameters<M>[Place]>;

export type Inputs = All<
  [
    Equal<InBody<Input<Schedules["create"]>>, Body<typeof schedules.createSchedule>>,
    Equal<InBody<Input<Schedules["put"], 1>>, Body<typeof byKey.putScheduleByKey>>,
    Equal<InBody<Input<Schedules["reschedule"], 1>>, Body<typeof schedules.rescheduleSchedule>>,
    Equal<InBody<Input<Schedules["replay"], 1>>, Body<typeof schedules.replaySchedule>>,
    Equal<InBody<Input<Schedules["clone"], 1>>, Body<typeof schedules.cloneSchedule>>,
    Equal<InBody<Input<Operations["start"]>>, Body<typeof operations.startOperation>>,
    Equal<InQuery<Input<Schedules["list"]>>, Filter<typeof schedules.listSchedules>>,
    Equal<InQuery<Input<Client["logs"]["list"]>>, Filter<typeof logs.listLogs>>,
    Equal<InQuery<Input<Operations["list"]>>, Filter<typeof operations.listOperations>>,
    Equal<InQuery<Input<Client["overview"]>>, Filter<typeof overview.getOverview>>,
  ]
>;

/** What `fetch` of the options may be: the runtime's, and that of undici, which takes a proxy. */
export type Fetches = All<
  [
    typeof globalThis.fetch extends sdk.FetchLike ? true : false,
    typeof import("undici").fetch extends sdk.FetchLike ? true : false,
  ]
>;
