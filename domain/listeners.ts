/** What a listener takes: deliveries to `LISTEN_ORIGIN`, or every test delivery of its account. */
export const LISTENER_SCOPES = ["reserved", "all"] as const;
export type ListenerScope = (typeof LISTENER_SCOPES)[number];

/** The states of an exchange, in their order; `answered` and `over` are final. */
export const EXCHANGE_STATES = ["waiting", "handed", "answered", "over"] as const;
export type ExchangeState = (typeof EXCHANGE_STATES)[number];

/** Lease of a listener, ms. Its stream renews it with each beat. */
export const LISTENER_LEASE_MS = 25_000;

/** Dispatchers know of a new listener of scope `all` within this time, ms: two of their reads. */
export const LISTENER_SEEN_WITHIN_MS = 500;

/** The most listeners with a lease that one account may have. */
export const LISTENERS_MAX = 5;

/** The most exchanges that one listener has and has not answered. */
export const EXCHANGES_IN_FLIGHT_MAX = 100;
