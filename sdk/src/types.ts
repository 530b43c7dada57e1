import type { Method, OperationId, ScheduleId, Status } from "./answers.ts";

export type * from "./answers.ts";

// What is sent: descriptions are those of the API's contract, which a test compares. A field that is undefined is not sent.

/** An instant. */
export type FireAt = {
  /** RFC 3339 with an offset, in the future; rounded up to a millisecond. */
  fireAt: Date | string;
  fireIn?: undefined;
  fireAtLocal?: undefined;
  timezone?: undefined;
  onClockChange?: undefined;
};

/** A duration from now on. A wrong clock on this machine does no harm. */
export type FireIn = {
  /** How long from now, by the service's clock: w, d, h, m and s, the largest first, or ISO 8601 without years and months. A day is 24 hours. From 1 second. */
  fireIn: string;
  fireAt?: undefined;
  fireAtLocal?: undefined;
  timezone?: undefined;
  onClockChange?: undefined;
};

/** A local time. */
export type FireAtLocal = {
  /** A date and a time of day without an offset, by the clocks of `timezone`. */
  fireAtLocal: string;
  /** The IANA zone of `fireAtLocal`. */
  timezone: string;
  /** What to do when the clocks of the zone skip or repeat `fireAtLocal`: of two instants the `first` (default) or the `second`; skipped, both mean the time by the offset before the change. `refuse` answers `VALIDATION`. */
  onClockChange?: "first" | "second" | "refuse" | undefined;
  fireAt?: undefined;
  fireIn?: undefined;
};

/** No time. */
export type NoTime = {
  fireAt?: undefined;
  fireIn?: undefined;
  fireAtLocal?: undefined;
  timezone?: undefined;
  onClockChange?: undefined;
};

/** When a schedule is to fire: one of three ways to say it. */
export type FireTime = FireAt | FireIn | FireAtLocal;

/** A payload as text. */
export type TextPayload<Text = string> = {
  /** The request body, sent byte for byte in UTF-8. The plan limits its size. It is stored encrypted and never returned. */
  payload: Text;
  json?: undefined;
};

/** A payload as a value. */
export type JsonPayload = {
  /** In place of `payload`: any value, which is sent as JSON with a Content-Type, unless `headers` name one. */
  json: unknown;
  payload?: undefined;
};

/** Custom headers. */
export type CustomHeaders = { [name: string]: string };

/** A payload, or none. */
export type AnyPayload = Partial<TextPayload<string | undefined>> | JsonPayload;

/** How this schedule is delivered. What is absent or null is by the account's relay settings at each attempt. Numbers beyond their bounds are set to them. */
export type DeliveryOptions = {
  /** The time for an answer, from the first byte of the request on. From 1,000 to 30,000. */
  timeoutMs?: number | null | undefined;
  /** The wait before each retry, in place of the account's attempts, backoff and strategy: as many as the plan has retries, each from 1,000 to 604,800,000 (7 days). An empty list is no retry. */
  retryDelaysMs?: readonly number[] | null | undefined;
  /** Answers that end the schedule at once: statuses, or ranges such as `"400-404"`. 410 unless given. */
  giveUpStatuses?: readonly (number | string)[] | null | undefined;
  /** No attempt begins after it. RFC 3339 with an offset, after the time of the schedule. */
  expiresAt?: Date | string | null | undefined;
  /** The same as a duration from the time of the schedule, such as `2h`. */
  expiresIn?: string | null | undefined;
};

/** What is to be sent. */
export type SentRequest = {
  /** The target URL: https, port 80 or 443, a public address, no credentials, at most 2,048 characters once encoded. With a test key also `https://listen.invalid/<path>`, whose requests go to a connected listener. */
  targetUrl: string | URL;
  /** The method of the request. */
  method?: Method | undefined;
  /** Custom headers, at most 8 KiB together. `Host`, `Content-Length`, hop-by-hop headers and the service's own headers are reserved. */
  headers?: CustomHeaders | undefined;
  /** Send slightly ahead of its instant, so that the request arrives on time. Defaults to the account's setting. */
  earlyFire?: boolean | undefined;
} & AnyPayload;

/** What is to be sent, and how. */
export type RequestInput = SentRequest & {
  /** How this schedule is delivered. What is absent or null is by the account's relay settings at each attempt. Numbers beyond their bounds are set to them. */
  delivery?: DeliveryOptions | null | undefined;
};

/** A request and the time at which to send it. */
export type CreateInput = RequestInput &
  FireTime & {
    /** A request with a known key returns the existing schedule. */
    idempotencyKey?: string | undefined;
  };

/** The same for a key of yours. */
export type PutInput = RequestInput & ((FireTime & { maxDelay?: undefined }) | (FireIn & MaxDelay));

/** A bound of a time that is put off again and again. */
export type MaxDelay = {
  /** With `fireIn`: the time is at most this long after the creation of the schedule, however often it is put off. */
  maxDelay?: string | undefined;
};

/** A request, and the rule by which it is sent again and again. */
export type RecurrenceInput = SentRequest & {
  /** Minute, hour, day, month and weekday: values, names, lists, ranges and steps, `L` for the last day, `5#2` for the second Friday, `5L` for the last one; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. A rule that names both day and weekday fires on either. */
  cron: string;
  /** The IANA zone whose clocks the rule goes by. */
  timezone?: string | undefined;
  /** A time of day that the clocks of the zone repeat fires at its `first` or `second` instant, and one that they skip by the offset before the change; `skip` leaves both out. A rule whose hour is `*` or has a step follows elapsed time instead: both repeated hours, and nothing for skipped ones. */
  onClockChange?: "first" | "second" | "skip" | undefined;
  /** `skip`: an occurrence is left out while an earlier one is open, its retries included. */
  overlap?: "allow" | "skip" | undefined;
  /** Of instants that passed while nothing could make their occurrences, the `latest` is sent, or `none`. */
  catchUp?: "latest" | "none" | undefined;
  /** Each occurrence fires later than the rule says, by a share of this that the recurrence has for good. */
  spreadMs?: number | undefined;
  /** The last instant at which it may fire. RFC 3339 with an offset. */
  endsAt?: Date | string | undefined;
  /** What its owner calls it. */
  name?: string | undefined;
  /** How this schedule is delivered. What is absent or null is by the account's relay settings at each attempt. Numbers beyond their bounds are set to them. `expiresIn` counts from each occurrence; `expiresAt` is refused. */
  delivery?: (DeliveryOptions & { expiresAt?: null | undefined }) | null | undefined;
};

/** Why a recurrence is paused, and until when. */
export type PauseInput = {
  /** Why, for people. */
  note?: string | undefined;
  /** When it goes on by itself; without it, when it is resumed. RFC 3339 with an offset. */
  until?: Date | string | undefined;
};

/** Which recurrences. */
export type RecurrenceFilter = PageFilter & {
  /** Only those with this status. */
  status?: "active" | "paused" | "ended" | undefined;
};

/** Where to move a schedule: a time, `earlyFire`, or both. */
export type RescheduleInput = (FireTime | NoTime) & {
  /** Send slightly ahead of its instant, so that the request arrives on time. */
  earlyFire?: boolean | undefined;
};

/** What differs from the original. */
export type ReplayInput = (FireTime | NoTime) & {
  /** A request with a known key returns the existing schedule. */
  idempotencyKey?: string | undefined;
};

/** What differs from the original. */
export type CloneInput = ReplayInput & {
  /** Another target, judged as that of a new schedule. No header of the original is then carried over. */
  targetUrl?: string | URL | undefined;
  /** Custom headers, at most 8 KiB together. `Host`, `Content-Length`, hop-by-hop headers and the service's own headers are reserved. */
  headers?: CustomHeaders | undefined;
  /** In place of the options of the original, which it has otherwise. */
  delivery?: DeliveryOptions | null | undefined;
} & (TextPayload | JsonPayload);

/** Which page. */
export type PageFilter = {
  /** Rows per page. Default 20; values above 100 are reduced to 100. */
  limit?: number | undefined;
  /** Rows to skip. For deeper pages, and for rows that are created meanwhile, use `after`. */
  offset?: number | undefined;
  /** The `next_cursor` of the page before, in place of `offset`. Opaque; the filters and the sort order must be those of that page. */
  after?: string | undefined;
};

/** Which rows. */
export type RowFilter = PageFilter & {
  /** Part of the target URL as it was typed or as it is sent, case-insensitive, or a complete schedule id. With fewer than three characters only the newest 10,000 rows are searched. */
  q?: string | undefined;
  /** Start of the time range, inclusive. */
  from?: Date | string | undefined;
  /** End of the time range, exclusive. */
  to?: Date | string | undefined;
};

/** Which schedules. `from` and `to` bound `fire_at`. */
export type ScheduleFilter = RowFilter & {
  /** One status, or several separated by commas. */
  status?: Status | readonly Status[] | undefined;
  /** Of the first attempt, in whole ms, both ends included: `250..`, `..0`, `100..500`. Negative is early. */
  late?: string | undefined;
  /** The whole host of the target URL; with its port unless that is 443. */
  host?: string | undefined;
  /** The answer to the last attempt: a status code such as `503`, a class such as `5xx`, or `none`. */
  code?: string | undefined;
  /** The idempotency key with which it was created. */
  idempotency_key?: string | undefined;
  /** The copies that this operation made. */
  operation?: OperationId | undefined;
  /** The occurrences of the recurrence that has this key. */
  recurrence?: string | undefined;
  /** Sort order; a minus sorts descending. `late` begins with the latest and ends with those that were not sent. Ties are sorted by id. */
  sort?: "-created_at" | "fire_at" | "-fire_at" | "late" | undefined;
};

/** Which attempts. `from` and `to` bound `attempted_at`. */
export type LogFilter = RowFilter & {
  /** `succeeded`: a 2xx response; `failed`: any other response, or none. */
  outcome?: "succeeded" | "failed" | undefined;
  /** The attempts of one schedule. */
  schedule_id?: string | undefined;
  /** Of the attempt, after it was due, in whole ms rounded down, both ends included: `250..`, `..0`, `100..500`. Negative is early. */
  late?: string | undefined;
  /** `true`: only the attempts of which the overview says how late they were: the first of each schedule, except those that were to fire at once. `late` is then in ms after `fire_at`. */
  measured?: "true" | undefined;
  /** The whole host of the target URL; with its port unless that is 443. */
  host?: string | undefined;
  /** The answer: a status code such as `503`, a class such as `5xx`, or `none`. */
  code?: string | undefined;
  /** The attempts of the schedule with this idempotency key. */
  idempotency_key?: string | undefined;
  /** The attempts of the copies that this operation made. */
  operation?: OperationId | undefined;
  /** The attempts of the occurrences of the recurrence that has this key. */
  recurrence?: string | undefined;
  /** Sort order: the newest first, or the latest. Ties are sorted by id. */
  sort?: "-attempted_at" | "late" | undefined;
};

/** Which operations. */
export type OperationFilter = PageFilter;

/** Which figures. */
export type OverviewFilter = {
  /** How far back to look. */
  period?: "24h" | "7d" | "30d" | undefined;
  /** Start of a time range in place of `period`; its hour is included. */
  from?: Date | string | undefined;
  /** End of the time range; now without one. */
  to?: Date | string | undefined;
};

/** What to do with which schedules: one of `filter`, `schedules` and `all`. */
export type OperationInput = {
  /** What is done to each schedule, as the endpoint of one does it. A replay fires now. */
  action: "cancel" | "replay";
  /** A request with a known key returns the existing schedule. */
  idempotencyKey?: string | undefined;
} & (
  | {
      /** All schedules that match when the operation is accepted. */
      filter: OperationSet;
      schedules?: undefined;
      all?: undefined;
    }
  | {
      /** These schedules, in place of a filter. */
      schedules: readonly ScheduleId[];
      filter?: undefined;
      all?: undefined;
    }
  | {
      /** All schedules of the environment, in place of a filter. */
      all: true;
      filter?: undefined;
      schedules?: undefined;
    }
);

/** The schedules that match. At least one field is required, and one that is undefined is refused. */
export type OperationSet = {
  /** Any of these statuses. */
  status?: readonly Status[] | undefined;
  /** Part of the target URL as it was typed or as it is sent, case-insensitive, or a complete schedule id. With fewer than three characters only the newest 10,000 rows are searched. */
  q?: string | undefined;
  /** `fire_at` from this instant on. */
  from?: Date | string | undefined;
  /** `fire_at` before this instant. */
  to?: Date | string | undefined;
  /** Of the first attempt, in whole ms, both ends included: `250..`, `..0`, `100..500`. Negative is early. */
  late?: string | undefined;
  /** The whole host of the target URL; with its port unless that is 443. */
  host?: string | undefined;
  /** The answer to the last attempt: a status code such as `503`, a class such as `5xx`, or `none`. */
  code?: string | undefined;
  /** The idempotency key with which it was created. */
  idempotency_key?: string | undefined;
  /** The copies that this operation made. */
  operation?: OperationId | undefined;
  /** The occurrences of the recurrence that has this key. */
  recurrence?: string | undefined;
};
