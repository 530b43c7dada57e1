/** Settings of a test's own sessions: a transaction that holds others up ends when the test says so, not after the server's 10 s. */
export const HELD_TRANSACTIONS = { idle_in_transaction_session_timeout: 0 };
