// Written by `npm run fix` from the contract.

import type { ServiceErrorCode } from "./error.ts";

/** The environment that a key belongs to. */
export type Environment = "live" | "test";

/** The method of a schedule's request. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Names a schedule. */
export type ScheduleId = string;

/** Names an operation. */
export type OperationId = string;

/** Names an account. */
export type AccountId = string;

/** Names an API key; it is not the key. */
export type ApiKeyId = string;

/** RFC 3339, in UTC, with milliseconds. */
export type Instant = string;

/** `scheduled` waits, `firing` is being attempted now, `succeeded` got 2xx, `failed` will be attempted again, `dead` will not, `cancelled` was stopped by its owner. */
export type Status = "scheduled" | "firing" | "succeeded" | "failed" | "dead" | "cancelled";

/** How a schedule is delivered; null where that is by the account's relay settings at each attempt. */
export type Delivery = {
  /** The time for an answer. */
  timeout_ms: number | null;
  /** The wait before each retry; an empty list is no retry. */
  retry_delays_ms: number[] | null;
  /** Answers that end it at once: statuses and ranges of them. */
  give_up_statuses: (number | string)[] | null;
  /** No attempt begins after it. */
  expires_at: Instant | null;
};

/** A request and the instant at which it is sent. */
export type Schedule = {
  /** Names the schedule, in paths too. */
  id: ScheduleId;
  /** The target URL, normalised by the URL standard. */
  target_url: string;
  /** The method of the request. */
  method: Method;
  /** The status of the schedule. */
  status: Status;
  /** When the request is to be sent. */
  fire_at: Instant;
  /** Time of the first attempt with a known outcome. */
  fired_at: Instant | null;
  /** `fired_at` less `fire_at`; positive means late. */
  offset_ms: number | null;
  /** Whether it is sent slightly ahead, so that it arrives on time. */
  early_fire: boolean;
  /** Attempts that were started. */
  attempts: number;
  /** Size of the stored payload in UTF-8; 0 when it has none, or was erased. */
  payload_size_bytes: number;
  /** Whether a payload is stored. The payload itself is never returned. */
  has_payload: boolean;
  /** When the schedule was created. */
  created_at: Instant;
  /** When it last changed. */
  updated_at: Instant;
  /** When the next one is due; null when none is, and while one is in progress. */
  next_attempt_at: Instant | null;
  /** Of the last attempt that ended; null before one has, and where it had no answer. */
  last_status_code: number | null;
  /** The first line of its `error_text`; null where it has none. `cancelled by reconcile`: by an operator, after a restore. */
  last_error: string | null;
  /** Why it is `dead`: its `attempts` are used up, an answer had a `status` that ends it, it has `expired`, three attempts in a row were `interrupted`, its target is `blocked`, or it expired while its account was `deactivated`. Null in any other status, and for what died before this was recorded. */
  end_reason: "attempts" | "status" | "expired" | "interrupted" | "blocked" | "deactivated" | null;
  /** Its own delivery options; null without any. */
  delivery: Delivery | null;
  /** The schedule that this one repeats. */
  replay_of: ScheduleId | null;
  /** The operation that made this copy. */
  operation_id: OperationId | null;
  /** The key of the recurrence that it is an occurrence of; null for any other, and once that was deleted. */
  recurrence: string | null;
  /** The instant that the rule of the recurrence names, which a move does not change; null for any other schedule. */
  occurrence_at: Instant | null;
};

/** The response to moving a schedule. */
export type RescheduledSchedule = Schedule & {
  /** With `fireAtLocal` alone: whether the clocks of the zone skip (`gap`) or repeat (`repeat`) it; null when neither. */
  clock_change?: "gap" | "repeat" | null;
};

/** The response to creating a schedule. */
export type Created = {
  /** The schedule. */
  id: ScheduleId;
  /** When it is to be sent, rounded up to a millisecond. */
  fire_at: Instant;
  /** The status of the schedule; `scheduled` unless it existed already. */
  status: Status;
  /** Whether the monthly quota is exceeded and the schedule was accepted as grace. */
  over_limit: boolean;
  /** With `fireAtLocal` alone: whether the clocks of the zone skip (`gap`) or repeat (`repeat`) it; null when neither. */
  clock_change?: "gap" | "repeat" | null;
  /** Whether the idempotency key was known; then this is what it stands for. */
  replayed: boolean;
  /** Whether this request differs from the one that was stored under the key. */
  mismatch: boolean;
};

/** The response to storing a schedule under a key. */
export type PutSchedule = {
  /** The schedule. */
  id: ScheduleId;
  /** When it is to be sent, rounded up to a millisecond. */
  fire_at: Instant;
  /** The status of the schedule; `scheduled` unless it existed already. */
  status: Status;
  /** Whether the monthly quota is exceeded and the schedule was accepted as grace. */
  over_limit: boolean;
  /** With `fireAtLocal` alone: whether the clocks of the zone skip (`gap`) or repeat (`repeat`) it; null when neither. */
  clock_change?: "gap" | "repeat" | null;
  /** The schedule that had the key before, and has lost it to this one. */
  replaces: ScheduleId | null;
};

/** How each occurrence is delivered; null where that is by the account's relay settings. */
export type OccurrenceDelivery = {
  /** The time for an answer. */
  timeout_ms: number | null;
  /** The wait before each retry; an empty list is no retry. */
  retry_delays_ms: number[] | null;
  /** Answers that end it at once: statuses and ranges of them. */
  give_up_statuses: (number | string)[] | null;
  /** How long after its time no attempt begins any more. */
  expires_in_ms: number | null;
};

/** An instant at which a recurrence will fire. */
export type NextOccurrence = {
  /** When it fires, `spread_ms` included. */
  fire_at: Instant;
  /** The same as clocks of the zone show it, such as `2031-01-01T09:00:00`. */
  local: string;
  /** The offset of the zone from UTC then, such as `+01:00`. */
  offset: string;
  /** Whether the clocks skip (`gap`) or repeat (`repeat`) the time of day of the rule; null when neither. */
  clock_change: "gap" | "repeat" | null;
};

/** Instants of a recurrence that were not sent, and why. */
export type LeftOut = {
  /** The first instant. */
  from: Instant;
  /** The last one; the same where it is one alone. */
  to: Instant;
  /** How many; null where they are more than were counted. */
  count: number | null;
  /** `missed`: nothing could make them in time. `over_quota`: the month's quota was used up. `overlap`: an earlier occurrence was open. `not_allowed`: the target is not allowed any more, or the stored request cannot be read. */
  reason: "missed" | "over_quota" | "overlap" | "not_allowed";
};

/** A rule by which schedules are made, and the request that each of them sends. */
export type Recurrence = {
  /** Names the recurrence, in paths percent-encoded. Each request carries it too. */
  key: string;
  /** What its owner calls it. */
  name: string | null;
  /** `active` fires, `paused` does not until it is resumed, `ended` has no instant left before `ends_at`. */
  status: "active" | "paused" | "ended";
  /** The rule. */
  cron: string;
  /** The rule in words, such as `every weekday at 09:00`. */
  rule: string;
  /** The IANA zone whose clocks the rule goes by. */
  timezone: string;
  /** What happens at times that clocks skip or repeat. */
  on_clock_change: "first" | "second" | "skip";
  /** Whether an occurrence fires while an earlier one is open. */
  overlap: "allow" | "skip";
  /** What happens with instants that passed while nothing could make them. */
  catch_up: "latest" | "none";
  /** Each occurrence fires later by a share of this. */
  spread_ms: number;
  /** The last instant at which it may fire. */
  ends_at: Instant | null;
  /** The target URL, normalised by the URL standard. */
  target_url: string;
  /** The method of each request. */
  method: Method;
  /** Whether each is sent slightly ahead, so that it arrives on time; null: by the account's setting. */
  early_fire: boolean | null;
  /** Size of the payload in UTF-8; 0 when it has none. */
  payload_size_bytes: number;
  /** Whether a payload is stored. The payload itself is never returned. */
  has_payload: boolean;
  /** Its own delivery options; null without any. */
  delivery: OccurrenceDelivery | null;
  /** The next times at which it fires, at most five: none while it is paused without an end. */
  next: NextOccurrence[];
  /** How many occurrences a month has by the rule, rounded up. */
  monthly_estimate: number;
  /** Why it is paused, as its owner has said. */
  pause_note: string | null;
  /** When a paused one goes on by itself; null: when it is resumed. */
  paused_until: Instant | null;
  /** The latest instants that were not sent, newest last, at most 30 entries. */
  left_out: LeftOut[];
  /** When it was created. */
  created_at: Instant;
  /** When its owner last changed, paused or resumed it. */
  updated_at: Instant;
};

/** A recurrence as it is now, and what became of the occurrences that were made before. */
export type ChangedRecurrence = Recurrence & {
  /** Occurrences that were cancelled: those that had not left, which are given back to the quota, and those that waited for a retry. */
  taken_back: number;
  /** Occurrences that are being sent now: these go on, retries included. */
  in_flight: number;
};

/** What became of the occurrences of a recurrence that was deleted. */
export type DeletedRecurrence = {
  /** The key that is free now. */
  key: string;
  /** Occurrences that were cancelled: those that had not left, which are given back to the quota, and those that waited for a retry. */
  taken_back: number;
  /** Occurrences that are being sent now: these go on, retries included. */
  in_flight: number;
};

/** An item that has a schedule now. */
export type AcceptedItem = {
  /** Position in the request. */
  index: number;
  /** The schedule. */
  id: ScheduleId;
  /** When it is to be sent, rounded up to a millisecond. */
  fire_at: Instant;
  /** The status of the schedule; `scheduled` unless it existed already. */
  status: Status;
  /** With `fireAtLocal` alone: whether the clocks of the zone skip (`gap`) or repeat (`repeat`) it; null when neither. */
  clock_change?: "gap" | "repeat" | null;
  /** The item's idempotency key was known already; this is the schedule that has it. */
  replayed?: true;
  /** The item differs from the request that was stored under its idempotency key. */
  mismatch?: true;
};

/** An item of which nothing was stored. */
export type RejectedItem = {
  /** Position in the request. */
  index: number;
  /** Why, for programs. */
  code: "VALIDATION" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "QUOTA_EXCEEDED";
  /** Why, for people; it may change. */
  message: string;
};

/** The result of each item of a batch. */
export type BulkResult = {
  /** Items that have a schedule now, in the order of the request. */
  accepted: AcceptedItem[];
  /** Items of which nothing was stored, in the order of the request. */
  rejected: RejectedItem[];
};

/** Where the time went, in ms; null where it does not apply. */
export type AttemptTiming = {
  /** `attempted_at` less the time at which this attempt was due. */
  late: number | null;
  /** Waiting for its claim in the database. */
  claim: number | null;
  /** Waiting for the account's rate. */
  wait: number | null;
  /** Name resolution, TCP and TLS; null on a connection that was there, and with a listener. */
  connect: number | null;
  /** From `attempted_at` to the answer's first byte. */
  first_byte: number | null;
};

/** An attempt of a schedule. */
export type Attempt = {
  /** Counts from 1. */
  attempt: number;
  /** Null when the network failed, the target was blocked or it was interrupted. */
  status_code: number | null;
  /** From `attempted_at` to the status line or the failure. */
  latency_ms: number;
  /** The start of the target's answer to a failed attempt, decoded by its charset, or what went wrong; else empty. `[response repeated the request]` stands for 16 characters or more of payload, header values or secrets, and for a whole value of 8 or more. */
  error_text: string;
  /** When the first byte of the request was sent, or when an attempt that sent none began. */
  attempted_at: Instant;
  /** `listener`: to a connected listener, not to the target itself. */
  via: "listener" | null;
  /** Where the time of the attempt went. */
  timing: AttemptTiming;
};

/** The attempts of one schedule. */
export type Attempts = {
  /** The attempts, oldest first. */
  items: Attempt[];
  /** When the next one is due; null when none is. */
  next_attempt_at: Instant | null;
  /** The plan's retention window, days. */
  retention_days: number;
};

/** How many schedules were left as they are, by reason. */
export type LeftAlone = {
  /** An attempt is under way. */
  firing?: number;
  /** It had been delivered already. */
  succeeded?: number;
  /** No attempt was left. */
  dead?: number;
  /** It had been cancelled already. */
  cancelled?: number;
  /** It was moved after the operation was accepted, and the filter has `from` or `to`. */
  rescheduled?: number;
  /** Its payload and headers were erased. */
  erased?: number;
  /** Its `expiresAt` has passed. */
  expired?: number;
  /** The month's quota was used up. */
  over_quota?: number;
  /** Its target is not allowed any more. */
  target_not_allowed?: number;
  /** Its payload is larger than the plan allows now. */
  payload_too_large?: number;
  /** Its stored request cannot be decrypted. */
  unreadable?: number;
  /** There is no such schedule, or not any more. */
  not_found?: number;
};

/** Cancelling or replaying many schedules, step by step. */
export type Operation = {
  /** Names the operation, in paths too. */
  id: OperationId;
  /** What is done to each schedule. */
  action: "cancel" | "replay";
  /** `running` until each schedule was processed (`done`), its owner stopped it (`stopped`) or a step failed again and again (`failed`). */
  status: "running" | "done" | "stopped" | "failed";
  /** Which schedules; null for those that were named. */
  filter: {
    /** Null: any. */
    status: Status[] | null;
    /** Part of the target's address, or a whole schedule id. */
    q: string | null;
    /** `fire_at` from here on. */
    from: Instant | null;
    /** `fire_at` before this. */
    to: Instant | null;
    /** How late the first attempt was, ms. */
    late: string | null;
    /** The host of the target. */
    host: string | null;
    /** The answer to the last attempt. */
    code: string | null;
    /** The key of the schedule. */
    idempotency_key: string | null;
    /** The operation that made the copies. */
    operation: OperationId | null;
    /** The key of the recurrence that made the occurrences. */
    recurrence: string | null;
  } | null;
  /** How many schedules matched when it was accepted, as the list counts them. */
  total: number;
  /** There were more than `total`. */
  total_capped?: true;
  /** Schedules that were cancelled, or that have a copy. */
  acted: number;
  /** Schedules that were processed and left as they are. */
  left_alone: LeftAlone;
  /** Why it failed; else null. */
  error: {
    /** Why, for programs. */
    code: ServiceErrorCode;
    /** Why, for people; it may change. */
    message: string;
  } | null;
  /** When it was accepted. What was created later is not touched. */
  created_at: Instant;
  /** When it last made progress. */
  updated_at: Instant;
  /** Null while it is running. */
  ended_at: Instant | null;
};

/** The response to starting an operation. */
export type StartedOperation = Operation & {
  /** Whether the idempotency key was known; then this is what it stands for. */
  replayed: boolean;
  /** Whether this request differs from the one that was stored under the key. */
  mismatch: boolean;
};

/** An attempt and its schedule. */
export type LoggedAttempt = {
  /** The schedule that was attempted. */
  schedule_id: ScheduleId;
  /** Where the request went. */
  target_url: string;
  /** The method of the request. */
  method: Method;
  /** Counts from 1. */
  attempt: number;
  /** Null when the network failed, the target was blocked or it was interrupted. */
  status_code: number | null;
  /** From `attempted_at` to the status line or the failure. */
  latency_ms: number;
  /** The start of the target's answer to a failed attempt, decoded by its charset, or what went wrong; else empty. `[response repeated the request]` stands for 16 characters or more of payload, header values or secrets, and for a whole value of 8 or more. */
  error_text: string;
  /** When the first byte of the request was sent, or when an attempt that sent none began. */
  attempted_at: Instant;
  /** `listener`: to a connected listener, not to the target itself. */
  via: "listener" | null;
  /** `attempted_at` less the time at which this attempt was due; null where unknown. */
  late_ms: number | null;
};

/** Figures of one environment over a period. */
export type Overview = {
  /** The requested period; for a range, the shortest that is as long, or the longest. */
  period: "24h" | "7d" | "30d";
  /** When the first bucket begins. */
  from: Instant;
  /** When the last bucket ends. All are equally long. */
  to: Instant;
  /** Schedules that are scheduled, firing or failed now. */
  active_schedules: number;
  /** Fraction of 2xx among attempts with a known outcome; 0 without attempts. */
  success_rate: number;
  /** How late the schedules in the histogram were, ms; 0 when it is empty. */
  offset_ms: {
    /** The median. */
    p50: number;
    /** The 95th percentile. */
    p95: number;
    /** The smallest. */
    min: number;
    /** The largest. */
    max: number;
  };
  /** Attempts in the period. */
  recent_volume: number;
  /** The schedules that fired, except those that were to fire at once, by how late they were, ascending. */
  histogram: {
    /** An offset, ms: exact below 100, within 2 % above. Negative when early. */
    ms: number;
    /** Schedules that fired with this offset. */
    count: number;
  }[];
  /** The buckets of the period, including empty ones. */
  series: {
    /** When the bucket begins. */
    t: Instant;
    /** Schedules of the histogram that fired in this bucket. */
    count: number;
    /** Their median offset, ms; null when none fired. */
    p50: number | null;
    /** The 95th percentile of their offsets, ms; null when none fired. */
    p95: number | null;
  }[];
  /** How attempts ended, in the buckets of `series`. */
  outcomes: {
    /** When the bucket begins. */
    t: Instant;
    /** Attempts that were delivered. Each ended its schedule. */
    code_2xx: number;
    /** Attempts that were answered with a redirect. */
    code_3xx: number;
    /** Attempts that were answered with 400 to 499. */
    code_4xx: number;
    /** Attempts that were answered with 500 to 599. */
    code_5xx: number;
    /** Attempts without an answer. */
    code_none: number;
    /** Attempts of which nobody knows whether the target was reached. */
    interrupted: number;
  }[];
  /** Schedules that ended in the period. */
  ended: {
    /** Schedules that were delivered, at whichever attempt. */
    delivered: number;
    /** Schedules that died. */
    dead: number;
    /** Fraction of `delivered` among both; 0 when none ended. */
    success_rate: number;
  };
  /** Dead and retrying schedules by host, answer and time, those with the most dead ones first. */
  incidents: {
    /** Host of the targets, with its port unless that is the scheme's own. */
    host: string;
    /** The last status code of each; null without an answer. */
    code: number | null;
    /** Its class, such as `5xx`; `none` without an answer. */
    class: string;
    /** The `last_error` of the one attempted last that has one. */
    error: string | null;
    /** Dead schedules that were neither replayed nor cloned. */
    dead: number;
    /** Schedules that wait for a retry. */
    retrying: number;
    /** Dead schedules of which a copy was delivered since. */
    replays_delivered: number;
    /** Dead schedules of which a copy has not ended yet. */
    replays_open: number;
    /** Their earliest `fire_at`, as `from` of `/v1/schedules` takes it. */
    from: Instant;
    /** A millisecond after their latest `fire_at`, as `to` takes it. */
    to: Instant;
    /** When the first retry is due; null where none is. */
    next_attempt_at: Instant | null;
    /** The operation that replayed some of them last. */
    operation_id: OperationId | null;
  }[];
  /** How the attempts to each host ended, those with the most dead schedules and failures first. */
  hosts: {
    /** As in `incidents`; `other` for all beyond the first 100 of an hour. */
    host: string;
    /** Attempts in the period. */
    attempts: number;
    /** Attempts that were delivered. Each ended its schedule. */
    code_2xx: number;
    /** Attempts that were answered with a redirect. */
    code_3xx: number;
    /** Attempts that were answered with 400 to 499. */
    code_4xx: number;
    /** Attempts that were answered with 500 to 599. */
    code_5xx: number;
    /** Attempts without an answer. */
    code_none: number;
    /** Attempts of which nobody knows whether the target was reached. */
    interrupted: number;
    /** Schedules that died. */
    dead: number;
    /** First line of the newest error text; null where all were empty. */
    last_error: string | null;
  }[];
  /** Schedules that may need attention. */
  needs_attention: {
    /** Schedules that were attempted in the period and are waiting for a retry. */
    failed: number;
    /** Schedules due within an hour. */
    due_soon: number;
    /** Schedules that died in the period. */
    dead: number;
  };
};

/** The usage and quota of a month. */
export type Usage = {
  /** The month, as YYYYMM. */
  period: string;
  /** The plan of the account. */
  plan: "free" | "indie";
  /** Schedules created in the month. */
  scheduled: number;
  /** The monthly quota. */
  limit: number;
  /** 110 % of the quota, rounded down. */
  grace_limit: number;
  /** Whether the quota is exceeded, within the grace. */
  over_limit: boolean;
  /** What the plan allows for a call, of either environment. */
  limits: {
    /** Schedules in one call of `POST /v1/schedules/bulk`. */
    bulk_items: number;
    /** Bytes of one payload, in UTF-8. */
    payload_bytes: number;
    /** API requests of the account in a minute. */
    requests_per_minute: number;
  };
};

/** How punctual the whole service was. */
export type Punctuality = {
  /** What the figures cover. */
  window: "24h";
  /** Schedules whose first attempt sent its request. */
  sent: number;
  /** The fraction of `sent` that was on time; 0 when `sent` is 0. */
  on_time_rate: number;
  /** How late is still on time. */
  on_time_within_ms: number;
  /** How late they were, ms; early ones count as 0. */
  offset_ms: {
    /** The median. */
    p50: number;
    /** The 95th percentile. */
    p95: number;
  };
  /** When the figures were computed. */
  updated_at: Instant;
  /** The sent schedules by how late they were, ascending. */
  histogram: {
    /** How late, ms: exact below 100, within 2 % above; early ones are 0. */
    ms: number;
    /** Schedules that were so late. */
    count: number;
  }[];
  /** The day in quarters of an hour, the current one included, empty ones too. */
  series: {
    /** When the quarter of an hour begins. */
    t: Instant;
    /** Schedules that fired in it. */
    count: number;
    /** The median of how late they were, ms; null when none fired. */
    p50: number | null;
    /** The 95th percentile of how late they were, ms; null when none fired. */
    p95: number | null;
  }[];
};

/** The secrets that deliveries of one environment are signed with. */
export type SigningSecrets = {
  /** Signs every request. */
  current: string;
  /** Becomes the current one at the next rotation. Receivers should accept both. */
  next: string;
  /** When they were last rotated; null when they never were. */
  rotated_at: Instant | null;
};

/** The secrets after a rotation. */
export type RotatedSigningSecrets = SigningSecrets & {
  /** Whether the idempotency key was known; then this is what it stands for. */
  replayed: boolean;
};

/** Who the credential belongs to. */
export type Profile = {
  /** Whose credential it is. */
  user: {
    /** The account; one person has one. */
    id: AccountId;
    /** The address that the owner signs in with. */
    email: string;
    /** The owner's display name; null until it is known. */
    name: string | null;
    /** A picture of the owner; null when there is none. */
    avatarUrl: string | null;
    /** Schedules of a deactivated account wait. */
    status: "active" | "deactivated";
    /** Whether the owner has verified the address. */
    emailVerified: boolean;
    /** Whether the owner gets e-mail notices about dead schedules and the quota. */
    notices: boolean;
    /** When the account was created. */
    createdAt: Instant;
  };
  /** The kind of credential that the call came with. */
  authSource: "session" | "apiKey";
  /** The key that the call came with; null with a session. */
  apiKey: {
    /** The key. */
    id: ApiKeyId;
    /** The environment that the key belongs to. */
    env: Environment;
  } | null;
  /** What the account pays for. */
  subscription: {
    /** The plan, which sets quota and limits. */
    plan: "free" | "indie";
    /** The status of the subscription. */
    status: "none" | "active" | "past_due" | "canceled";
    /** When an active subscription renews, a canceled one ends or ended, or a past_due one loses the plan; null without a subscription. */
    currentPeriodEnd: Instant | null;
    /** Whether there is a billing portal for the account. */
    manageable: boolean;
  };
  /** Whether this is the session of an operator of the service. */
  isAdmin: boolean;
};

/** One page of a list. */
export type Page<T> = {
  /** The items of this page. */
  items: T[];
  /** Exact, or with `total_capped` 10,000 or what a bounded search counted. */
  total: number;
  /** More rows match than `total`, or may match. */
  total_capped?: true;
  /** The search for this page ended early, after many rows: it may have few or none, and `next_cursor` goes on. */
  search_capped?: true;
  /** How many rows a page has at most. */
  limit: number;
  /** Rows before this page; also counted when pages are fetched by `after`. */
  offset: number;
  /** The next page, for `after`; null on the last page. Following it from the first page on meets every row once, whatever is created meanwhile. */
  next_cursor: string | null;
};

/** One page of the delivery log. */
export type LogPage = Page<LoggedAttempt> & {
  /** The plan's retention window, days. */
  retention_days: number;
};
